import { listBlips as readPage } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

/** `tidegate incidents blips`: drops that healed before anybody was paged, newest first. */
export async function listBlips(flags: {
  service?: string;
  /** How far back to look. */
  since?: number;
  limit: number;
  cursor?: string;
  json?: boolean;
}): Promise<void> {
  await withStore(async (sql) => {
    const since = flags.since === undefined ? null : new Date(Date.now() - flags.since);
    const { service = null, cursor = null, limit } = flags;
    const page = await readPage(sql, { group: null, service, since, cursor, limit });
    if (flags.json) {
      say(JSON.stringify(page));
      return;
    }
    for (const { recordedAt, groupAlias, groupName, services, count, firstAt, lastAt } of page.items) {
      const lastedS = ((lastAt.getTime() - firstAt.getTime()) / 1000).toFixed(1);
      const held = services.length > 0 ? services.join(', ') : 'no service';
      say(`${recordedAt.toISOString()}  ${groupName ?? groupAlias}  ${count} observations in ${lastedS} s  ${held}`);
    }
    if (page.items.length === 0) say('No blips.');
    if (page.nextCursor !== null) say(`More: --cursor ${page.nextCursor}`);
  });
}
