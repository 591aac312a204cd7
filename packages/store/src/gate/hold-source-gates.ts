import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockGates, raiseGenerations } from './raise-generations.ts';

export interface HeldSourceGates {
  /** Services whose open gate shut. */
  readonly shut: string[];
  /** When verifications are due. */
  readonly verifyDue: Date[];
}

/**
 * Holds every gate of the groups of these sources and starts a new generation: what a source is about to say is not going
 * to be heard, so nothing may stay open that it could shut. A gate under a person's hand stays as it is.
 * @throws AppError when the store cannot be reached
 */
export async function holdSourceGates(sql: Sql, sourceIds: readonly number[]): Promise<HeldSourceGates> {
  return inTransaction(sql, async (tx) => {
    const rows = await tx<{ id: number }[]>`
      select s.id from service s where s.retired_at is null and s.group_name in (
        select group_name from source where id = any(${[...sourceIds]}::int[]))`;
    const ids = rows.map(({ id }) => id);
    await lockGates(tx, ids);
    const open = await tx<{ name: string }[]>`
      select s.name from gate g join service s on s.id = g.service_id
      where g.service_id = any(${ids}::int[]) and g.state in ('open', 'releasing') and g.hand is null order by s.name`;
    await raiseGenerations(tx, ids, 'rate_limited');
    const due = await tx<{ at: Date }[]>`
      select distinct verify_due_at as at from gate where service_id = any(${ids}::int[]) and verify_due_at is not null`;
    return { shut: open.map(({ name }) => name), verifyDue: due.map(({ at }) => at) };
  });
}
