import type { SafeName, SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { silenceColumns } from './list-silences.ts';
import type { SilenceRow } from './silence-row.ts';

export interface EndSilence {
  readonly id: string;
  readonly actor: SafeName;
  readonly keyId: string | null;
  /** Names of the services the actor may act for; null means all. */
  readonly services: readonly string[] | null;
}

export type EndedSilence =
  | { readonly kind: 'ended'; readonly silence: SilenceRow }
  /** It was ended before, or its time was over. */
  | { readonly kind: 'over'; readonly silence: SilenceRow }
  | { readonly kind: 'not_found' };

/** Ends a silence before its time, with its audit row. What it muted and goes on is decided about at once. */
export async function endSilence(sql: Sql, order: EndSilence, sign: SignAudit): Promise<Audited<EndedSilence>> {
  return inAuditedTransaction<EndedSilence>(sql, sign, async (tx) => {
    const { id, actor, keyId, services } = order;
    const visible = services === null ? tx`true` : tx`scope = 'service' and target = any(${[...services]}::text[])`;
    const [row] = await tx<SilenceRow[]>`
      select ${silenceColumns(tx)} from silence where id = ${id} and ${visible} for no key update`;
    if (row === undefined) return { outcome: { kind: 'not_found' }, entry: null };
    if (!row.live) return { outcome: { kind: 'over', silence: row }, entry: null };
    const [ended] = await tx<SilenceRow[]>`
      update silence set ended_at = clock_timestamp() where id = ${id} returning ${silenceColumns(tx)}`;
    await hurryMuted(tx);
    const facts = { silence: id, scope: row.scope, key: keyId };
    const entry = { actor, action: 'silence.end', target: row.target ?? 'all', reason: null, facts } as const;
    return { outcome: { kind: 'ended', silence: ended ?? row }, entry };
  });
}

/** Whatever is to be looked at later may be what it muted. */
async function hurryMuted(tx: Transaction): Promise<void> {
  await tx`
    update notice set due_at = clock_timestamp() where thread in (
      select thread from notice where due_at > clock_timestamp() order by thread for no key update)`;
}
