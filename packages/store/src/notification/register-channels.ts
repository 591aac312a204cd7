import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { REMEMBERED } from './finish-notification.ts';

/**
 * Makes the known channels those of the config, gives up what waits for one that is gone, and has every open incident looked at
 * again: a channel that is new, came back, or was added while nothing ran, is told what goes on, and what it was to be told before.
 * @returns how many notifications were given up
 */
export async function registerChannels(
  sql: Sql,
  channels: readonly { readonly name: string; readonly type: string }[],
): Promise<number> {
  const names = channels.map(({ name }) => name);
  return inTransaction(sql, async (tx) => {
    await tx`
      insert into notice (thread, incident_id, due_at)
      select id, id, clock_timestamp() from incident where state <> 'resolved' order by id
      on conflict (thread) do update set due_at = clock_timestamp()`;
    await tx`
      insert into notify_channel (name, type) select * from unnest(${names}::text[], ${channels.map(({ type }) => type)}::text[])
      on conflict (name) do update set type = excluded.type, removed_at = null,
        paused_until = case when notify_channel.removed_at is null then notify_channel.paused_until end`;
    await tx`update notify_channel set removed_at = clock_timestamp() where name <> all(${names}::text[]) and removed_at is null`;
    await tx`
      update notice set due_at = clock_timestamp() where thread in (
        select x.thread from notice x where x.thread in (
          select n.thread from notification n where n.channel = any(${names}::text[]) and n.state = 'failed' and n.reason = 'channel_removed'
            and n.decided_at > clock_timestamp() - ${REMEMBERED}::interval)
        order by x.thread for no key update)`;
    const { count } = await tx`
      update notification set state = 'failed', reason = 'channel_removed', ended_at = clock_timestamp(), due_at = null, lease_until = null
      where ended_at is null and channel <> all(${names}::text[])`;
    await tx`update notification set repeat_at = null where repeat_at is not null and channel <> all(${names}::text[])`;
    return count;
  });
}
