import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toStoreError } from '../database/store-error.ts';
import { lockGates, raiseGenerations } from '../gate/raise-generations.ts';

/**
 * Holds the open gates of subjects that nobody has spoken of for too long: no webhook, no poll, no passed verification.
 * They are *unknown* until a verification passes. A gate that a person forced open is exempt. Source: DESIGN §6.
 * @returns names of the services whose gate shut
 */
export async function holdUnknown(sql: Sql, staleMs: number): Promise<string[]> {
  const stale = (on: Sql | Transaction) => on<{ id: number; name: string }[]>`
    select v.id, v.name from gate g join service v on v.id = g.service_id
    where g.state in ('open', 'releasing') and g.hand is null and v.retired_at is null and exists (
      select 1 from dependency d join subject s on s.id = d.subject_id left join connectivity c on c.subject_id = s.id
      where d.service_id = g.service_id
        and greatest(s.confirmed_at, c.moved_at, s.first_seen_at) < clock_timestamp() - make_interval(secs => ${staleMs} / 1000.0))
    order by v.id`;
  try {
    const suspects = await stale(sql);
    if (suspects.length === 0) return [];
    return await inTransaction(sql, async (tx) => {
      await lockGates(
        tx,
        suspects.map(({ id }) => id),
      );
      // Asked again under the locks: a verification may have passed, or a person's hand come down, meanwhile.
      const locked = new Set(suspects.map(({ id }) => id));
      const unknown = (await stale(tx)).filter(({ id }) => locked.has(id));
      await raiseGenerations(
        tx,
        unknown.map(({ id }) => id),
        'unknown_subject',
      );
      return unknown.map(({ name }) => name);
    });
  } catch (error) {
    throw toStoreError(error);
  }
}
