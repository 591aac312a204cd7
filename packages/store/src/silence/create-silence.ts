import type { SafeName, SignAudit, SilenceScope } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { silenceColumns } from './list-silences.ts';
import type { SilenceRow } from './silence-row.ts';

/** A silence to be added; reason and actor are sanitised by the caller. */
export interface NewSilence {
  readonly id: string;
  readonly scope: SilenceScope;
  /** Service name, alias of a group's subject, or null for all. */
  readonly target: string | null;
  readonly actor: SafeName;
  readonly reason: SafeName;
  /** Milliseconds from now, by Postgres' clock. */
  readonly forMs: number;
  readonly keyId: string | null;
}

export type CreatedSilence =
  | { readonly kind: 'created'; readonly silence: SilenceRow }
  /** No service or subject is called so: a silence with a slip of the pen would mute nothing. */
  | { readonly kind: 'unknown_target' };

/** Adds a silence, with its audit row. It mutes pages and nothing else. */
export async function createSilence(sql: Sql, silence: NewSilence, sign: SignAudit): Promise<Audited<CreatedSilence>> {
  return inAuditedTransaction<CreatedSilence>(sql, sign, async (tx) => {
    if (!(await isKnown(tx, silence))) return { outcome: { kind: 'unknown_target' }, entry: null };
    const { id, scope, target, actor, reason, forMs, keyId } = silence;
    const [row] = await tx<SilenceRow[]>`
      insert into silence (id, scope, target, actor, reason, created_at, expires_at)
      select ${id}, ${scope}, ${target}, ${actor}, ${reason}, now.at, now.at + make_interval(secs => ${forMs}::float8 / 1000.0)
      from (select clock_timestamp() as at) now
      returning ${silenceColumns(tx)}`;
    if (row === undefined) throw new Error('an inserted silence was not answered');
    const facts = { silence: id, scope, until: row.expiresAt.toISOString(), key: keyId };
    const entry = { actor, action: 'silence.add', target: target ?? 'all', reason, facts } as const;
    return { outcome: { kind: 'created', silence: row }, entry };
  });
}

async function isKnown(tx: Transaction, { scope, target }: NewSilence): Promise<boolean> {
  if (scope === 'all') return target === null;
  const rows =
    scope === 'service'
      ? await tx`select 1 from service where name = ${target} and retired_at is null`
      : await tx`select 1 from subject where alias = ${target}`;
  return rows.length > 0;
}
