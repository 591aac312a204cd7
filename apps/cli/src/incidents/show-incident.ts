import { brokenLayer, findNextStep } from '@tidegate/core';
import { type IncidentDetail, readIncident } from '@tidegate/store';
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
    const { state, kind, summary, services, timeline, verifications } = incident;
    const next = findNextStep({ ...incident, runs: verifications });
    const firstBroken = brokenLayer(next);
    if (flags.json) {
      const nextStep = next.step === null ? null : { firstBroken, step: next.step };
      say(JSON.stringify({ ...incident, nextStep }));
      return;
    }
    say(`${incident.id}  ${state}  ${kind}`);
    say(summary);
    say(tellTimes(incident));
    if (services.length > 0) say(`services: ${services.join(', ')}`);
    if (firstBroken !== null) say(`first broken layer: ${firstBroken}`);
    if (next.step !== null) say(`next step: ${next.step}`);
    // The run that the step comes from, if there is one.
    const latest = ('broken' in next ? next.broken?.run : undefined) ?? verifications[0];
    if (latest !== undefined) for (const line of describeVerification(latest)) say(line);
    say('');
    for (const { at, why } of timeline) say(`${at.toISOString()}  ${why}`);
  });
}

function tellTimes({ openedAt, since, reopened, resolvedAt }: IncidentDetail): string {
  const again = reopened === 0 ? '' : `, reopened ${reopened}×, last ${since.toISOString()}`;
  return `opened ${openedAt.toISOString()}${again}${resolvedAt === null ? '' : `, resolved ${resolvedAt.toISOString()}`}`;
}
