import type { AuditHead, AuditRow, ChainedAuditRow, SignAudit } from '../model/audit-row.ts';

/**
 * `changed`: a row is not what was written, or stands in another's place; `missing`: a row is gone from the middle;
 * `cut`: the rows up to a known head are no longer all there; `other_head`: that head's row is another one.
 */
export type ChainFlaw = 'changed' | 'missing' | 'cut' | 'other_head';

export type ChainCheck =
  | { readonly kind: 'intact'; readonly head: AuditHead | null }
  /** `seq` is the first row that is not as it was written. */
  | { readonly kind: 'broken'; readonly seq: number; readonly flaw: ChainFlaw };

/**
 * Checks the next rows of a trail, ascending by `seq`, that follow `before` (null: from the first row on).
 * @param known a head that was exported earlier; its row must be the one that has its number
 */
export function checkChain(
  rows: readonly ChainedAuditRow[],
  before: AuditHead | null,
  sign: SignAudit,
  known: AuditHead | null = null,
): ChainCheck {
  let head = before;
  for (const row of rows) {
    const expected = (head?.seq ?? 0) + 1;
    if (row.seq !== expected) return { kind: 'broken', seq: expected, flaw: 'missing' };
    if (!sameBytes(row.mac, sign(contentOf(row), head?.mac ?? null))) {
      return { kind: 'broken', seq: row.seq, flaw: 'changed' };
    }
    if (known?.seq === row.seq && !sameBytes(row.mac, known.mac)) {
      return { kind: 'broken', seq: row.seq, flaw: 'other_head' };
    }
    head = { seq: row.seq, mac: row.mac };
  }
  return { kind: 'intact', head };
}

/** Whether a trail that was read to its end reaches the head that was exported earlier; to be asked last. */
export function checkReach(check: ChainCheck, known: AuditHead | null): ChainCheck {
  if (check.kind === 'broken' || known === null) return check;
  const last = check.head?.seq ?? 0;
  return last >= known.seq ? check : { kind: 'broken', seq: last + 1, flaw: 'cut' };
}

/** A row's MAC covers these fields and no others, whatever else the store may hand over with it. */
function contentOf({ seq, at, actor, action, target, reason, facts }: ChainedAuditRow): AuditRow {
  return { seq, at, actor, action, target, reason, facts };
}

/** Not constant time: whoever can ask can read the MACs. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
