import type { Replay, ReplayDifference, ReplayedIncident, ReplayHistory } from '@tidegate/core';

const MARKS = { same: ' ', changed: '~', only_current: '-', only_proposed: '+' } as const;
const WIDTH = 44;

/** A table of outages, one a line: what the policies in effect make of each, and what the proposed ones would. */
export function presentReplay(
  history: ReplayHistory,
  current: Replay,
  proposed: Replay,
  differences: readonly ReplayDifference[],
): string[] {
  const names = new Map(history.subjects.map(({ alias, name }) => [alias, name ?? alias]));
  const lines = differences.map((one) => {
    const group = one.current?.group ?? one.proposed?.group ?? '';
    return `${MARKS[one.change]} ${(names.get(group) ?? group).padEnd(24)}  ${describe(one.current).padEnd(WIDTH)}  ${describe(one.proposed)}`;
  });
  const head = `  ${'GROUP'.padEnd(24)}  ${'IN EFFECT'.padEnd(WIDTH)}  PROPOSED`;
  return [
    ...(lines.length > 0 ? [head, ...lines, ''] : []),
    `${history.observations.length} observation(s)`,
    `in effect: ${sumUp(current)}`,
    `proposed:  ${sumUp(proposed)}`,
    '- only in effect, + only proposed, ~ both, but not alike',
  ];
}

function describe(incident: ReplayedIncident | null): string {
  if (incident === null) return 'no incident';
  const { kind, openedAt, reopenedAt, resolvedAt, mergedInto } = incident;
  const pages = 1 + reopenedAt.length;
  const end = mergedInto !== null ? 'merged' : resolvedAt === null ? 'open' : minutes(resolvedAt - openedAt);
  return `${kind} ${new Date(openedAt).toISOString().slice(0, 19)}Z ${end}${pages > 1 ? `, ${pages} pages` : ''}`;
}

function sumUp({ incidents, pages, blips }: Replay): string {
  return `${incidents.length} incident(s), ${pages} page(s), ${blips.length} blip(s)`;
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)}s` : `${Math.round(ms / 60_000)}m`;
}
