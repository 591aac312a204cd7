import { type CallbackDetail, readCallback } from '../callback/list-callbacks.ts';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** What a person decided about a callback. */
interface ReviewDecision {
  readonly decision: 'approve' | 'deny' | 'complete';
  readonly actor: string;
  readonly reason: string;
  readonly decidedAt: Date;
  /** Of an approval: until when it lets one attempt out, and when it did. */
  readonly expiresAt: Date | null;
  readonly usedAt: Date | null;
}

export interface ReviewDetail extends CallbackDetail {
  /** Keyed hash of what was handed over, in hex: an approval names it. */
  readonly payloadHash: string;
  /** Since when its outcome is unknown. */
  readonly unknownSince: Date | null;
  /** First to last. */
  readonly decisions: ReviewDecision[];
}

/**
 * A callback that waits for a person, or that a person has decided on, with the evidence; nothing that was sealed is in it.
 * Null for any other, and outside `services`.
 */
export async function readReview(
  sql: Sql,
  id: string,
  services: readonly string[] | null,
): Promise<ReviewDetail | null> {
  const callback = await readCallback(sql, id, services);
  if (callback === null) return null;
  try {
    const [row] = await sql<{ payloadHash: string; unknownSince: Date | null }[]>`
      select encode(payload_hash, 'hex') as payload_hash, unknown_since from callback where id = ${id}`;
    const decisions = await sql<ReviewDecision[]>`
      select decision, actor, reason, decided_at, expires_at, used_at from review where callback_id = ${id} order by id`;
    if (row === undefined || (callback.state !== 'needs_review' && decisions.length === 0)) return null;
    return { ...callback, ...row, decisions };
  } catch (error) {
    throw toStoreError(error);
  }
}
