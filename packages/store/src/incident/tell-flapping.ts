import { describeEvent, type FlapTally, type FlapWorst, type GroupDecision, tallyFlapping } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { LoadedGroup } from './load-group-facts.ts';
import { summarizeIncident } from './summarize-incident.ts';

/** A group that was decided, with the incident it was saved into. */
export interface DecidedGroup {
  readonly group: LoadedGroup;
  readonly decision: GroupDecision;
  readonly incidentId: string | null;
}

interface TallyRow {
  id: string;
  flapChanges: number;
  flapCountedAt: Date | null;
  flapTold: number;
  flapWorst: FlapWorst | null;
}

/**
 * Counts on for every incident of the pass that flaps, in one statement each to read, save and tell, and writes the summary
 * of those of which there is news. The correlator has locked the incidents.
 */
export async function tellFlapping(
  tx: Transaction,
  decided: readonly DecidedGroup[],
  { now, polls }: { readonly now: Date; readonly polls: boolean },
): Promise<void> {
  const flapping = decided.flatMap((one) => {
    const id = flappingId(one);
    return id === null ? [] : [{ id, ...one, starts: 'flap' in one.decision && one.decision.flap !== null }];
  });
  if (flapping.length === 0) return;
  const rows = await tx<TallyRow[]>`
    select id, flap_changes, flap_counted_at, flap_told, flap_worst from incident where id = any(${flapping.map(({ id }) => id)}::text[])`;
  const before = new Map(rows.map((row) => [row.id, toTally(row)]));
  const tallied = flapping.map((one) => {
    const { facts } = one.group;
    const look = {
      transitions: facts.transitions ?? [],
      down: facts.members.filter(({ down }) => down).map(({ alias }) => alias),
      device: facts.group.type === 'device' ? facts.group.alias : null,
    };
    return { ...one, ...tallyFlapping(one.starts ? null : (before.get(one.id) ?? null), look, now.getTime()) };
  });
  await saveTallies(tx, tallied);
  for (const { id, group, starts, news } of tallied) {
    if (starts || news)
      await summarizeIncident(tx, id, { decision: { kind: 'flapping' }, group: group.facts.group, polls });
  }
}

function flappingId({ group, decision, incidentId }: DecidedGroup): string | null {
  if (decision.decision === 'none' && decision.reason === 'still_flapping') return group.facts.open?.id ?? null;
  return 'kind' in decision && decision.kind === 'flapping' ? incidentId : null;
}

function toTally({ flapChanges, flapCountedAt, flapTold, flapWorst }: TallyRow): FlapTally | null {
  if (flapCountedAt === null) return null;
  return { changes: flapChanges, countedAt: flapCountedAt.getTime(), told: flapTold, worst: flapWorst };
}

async function saveTallies(
  tx: Transaction,
  tallied: readonly { readonly id: string; readonly tally: FlapTally; readonly news: boolean }[],
): Promise<void> {
  await tx`
    update incident i set flap_changes = t.changes, flap_counted_at = t.counted_at, flap_told = t.told, flap_worst = t.worst
    from unnest(${tallied.map(({ id }) => id)}::text[], ${tallied.map(({ tally }) => tally.changes)}::int[],
      ${tallied.map(({ tally }) => new Date(tally.countedAt).toISOString())}::text[]::timestamptz[],
      ${tallied.map(({ tally }) => tally.told)}::int[], ${tallied.map(({ tally }) => tally.worst)}::text[]) as t(id, changes, counted_at, told, worst)
    where i.id = t.id`;
  const news = tallied.filter((one) => one.news);
  if (news.length === 0) return;
  await tx`
    insert into timeline_entry (incident_id, at, event, why)
    select t.id, clock_timestamp(), 'flapping.goes_on', t.why
    from unnest(${news.map(({ id }) => id)}::text[], ${news.map(({ tally: { changes, worst } }) =>
      describeEvent({ event: 'flapping.goes_on', changes, worst }),
    )}::text[]) as t(id, why)`;
}
