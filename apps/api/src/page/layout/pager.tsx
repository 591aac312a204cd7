export interface PagerProps {
  readonly path: string;
  /** Kept from page to page; what is undefined is left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly nextCursor: string | null;
  /** Whether this is not the first page. */
  readonly further: boolean;
}

/** Leads on through a list, and back to its beginning. */
export function Pager({ path, query, nextCursor, further }: PagerProps) {
  if (nextCursor === null && !further) return null;
  const to = (cursor: string | null) => {
    const given = Object.entries({ ...query, cursor: cursor ?? undefined });
    const params = new URLSearchParams();
    for (const [name, value] of given) if (value !== undefined) params.set(name, value);
    return params.size === 0 ? path : `${path}?${params}`;
  };
  return (
    <nav class="pager" aria-label="Further in the list">
      {further ? <a href={to(null)}>Newest</a> : null}
      {nextCursor === null ? null : (
        <a rel="next" href={to(nextCursor)}>
          Older
        </a>
      )}
    </nav>
  );
}
