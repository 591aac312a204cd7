export interface PartPagerProps {
  readonly path: string;
  readonly total: number;
  readonly from: number;
  /** On one page. */
  readonly most: number;
}

/** Leads on through a list that is sorted by how it is now, so that no cursor could hold its place. */
export function PartPager({ path, total, from, most }: PartPagerProps) {
  if (total <= most) return null;
  return (
    <nav class="pager" aria-label="Further in the list">
      {from > 0 ? <a href={path}>First</a> : null}
      {from + most < total ? (
        <a rel="next" href={`${path}?from=${from + most}`}>
          Next {Math.min(most, total - from - most)} of {total}
        </a>
      ) : null}
    </nav>
  );
}
