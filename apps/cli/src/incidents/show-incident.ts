import { readIncident } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { describeVerification } from './describe-verification.ts';

/** `tidegate incidents show ID`: the whole of one, as on-call reads it. */
export async function showIncident(id: string, flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const incident = await readIncident(sql, id, null);
    if (incident === null) {
      fail('There is no incident of this id.', 1);
      return;
    }
    if (flags.json) {
      say(JSON.stringify(incident));
      return;
    }
    const { state, kind, openedAt, resolvedAt, summary, services, firstBroken, timeline, verifications } = incident;
    say(`${incident.id}  ${state}  ${kind}`);
    say(summary);
    say(`opened ${openedAt.toISOString()}${resolvedAt === null ? '' : `, resolved ${resolvedAt.toISOString()}`}`);
    if (services.length > 0) say(`services: ${services.join(', ')}`);
    if (firstBroken !== null) say(`first broken layer: ${firstBroken}`);
    const [latest] = verifications;
    if (latest !== undefined) for (const line of describeVerification(latest)) say(line);
    say('');
    for (const { at, why } of timeline) say(`${at.toISOString()}  ${why}`);
  });
}
