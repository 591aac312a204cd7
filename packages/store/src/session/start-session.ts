import { type SafeName, type SignAudit, sanitizeName } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql } from '../database/connect.ts';

export interface NewSession {
  /** Keyed hash of the cookie; the cookie itself is never stored. */
  readonly lookupHash: Buffer;
  /** Row id of the API key it was signed in with, and who that is. */
  readonly keyId: string;
  readonly actor: SafeName;
  /** Milliseconds after which it ends, whatever is done with it. */
  readonly longestMs: number;
}

/** Begins a session of the pages, by Postgres' clock, with its audit row. */
export async function startSession(sql: Sql, session: NewSession, sign: SignAudit): Promise<Audited<null>> {
  return inAuditedTransaction(sql, sign, async (tx) => {
    const { lookupHash, keyId, actor, longestMs } = session;
    await tx`
      insert into session (lookup_hash, key_id, created_at, seen_at, expires_at)
      select ${lookupHash}, ${keyId}, clock.now, clock.now, clock.now + make_interval(secs => ${longestMs}::float8 / 1000.0)
      from (select clock_timestamp() as now) clock`;
    const entry = { actor, action: 'session.start', target: keyId, reason: null, facts: {} } as const;
    return { outcome: null, entry };
  });
}

/** Ends a session, with its audit row; of one that was over already, or never was, there is none. */
export async function endSession(sql: Sql, lookupHash: Buffer, sign: SignAudit): Promise<Audited<null>> {
  return inAuditedTransaction(sql, sign, async (tx) => {
    const [ended] = await tx<{ keyId: string; name: string }[]>`
      delete from session x using api_key k where x.lookup_hash = ${lookupHash} and k.id = x.key_id returning k.id as key_id, k.name`;
    if (ended === undefined) return { outcome: null, entry: null };
    const { keyId, name } = ended;
    const actor = sanitizeName(name);
    const entry = { actor, action: 'session.end', target: keyId, reason: null, facts: {} } as const;
    return { outcome: null, entry };
  });
}
