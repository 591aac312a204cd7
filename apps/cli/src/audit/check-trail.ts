import { type AuditHead, type ChainCheck, checkChain, checkReach, type SignAudit } from '@tidegate/core';
import { readAuditAfter, type Sql } from '@tidegate/store';

const PAGE = 1000;

/** Checks the whole trail from its first row on, a page at a time. @param known a head that was exported earlier */
export async function checkTrail(sql: Sql, sign: SignAudit, known: AuditHead | null): Promise<ChainCheck> {
  let check: ChainCheck = { kind: 'intact', head: null };
  for (;;) {
    if (check.kind === 'broken') return check;
    const rows = await readAuditAfter(sql, check.head?.seq ?? 0, PAGE);
    check = checkChain(rows, check.head, sign, known);
    if (rows.length < PAGE) return checkReach(check, known);
  }
}
