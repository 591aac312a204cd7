import type { IncidentRow } from '@tidegate/store';
import { describe, expect, it } from 'vitest';
import { IncidentCard } from './incident-card.tsx';

const at = (time: string) => new Date(`2026-03-14T${time}:00Z`);

function read(change: Partial<IncidentRow>): string {
  const row = {
    id: 'inc_a',
    kind: 'device',
    state: 'open',
    summary: 'Down.',
    groupName: 'mac-mini',
    firstBroken: 'device',
  };
  const times = { openedAt: at('14:18'), since: at('14:27'), resolvedAt: null, reopened: 1, mergedInto: null };
  const shown = {
    row: { ...row, ...times, resolvedBy: null, ...change } as IncidentRow,
    now: at('14:35'),
    mute: undefined,
  };
  const text = String(IncidentCard(shown))
    .replace(/<svg[\s\S]*?<\/svg>/g, '')
    .replace(/<[^>]+>/g, ' ');
  return text.replace(/\s+/g, ' ').trim();
}

describe('an incident in a list', () => {
  it('is as old as its present episode, and says when it was opened first', () => {
    expect(read({})).toMatch(/since .*14:27.*, 8 min reopened 1×, first .*14:18/);
    expect(read({ state: 'resolved', resolvedBy: 'ver_a', resolvedAt: at('14:31') })).toContain('lasted 4 min');
    expect(read({ reopened: 0, since: at('14:18') })).toMatch(/since .*14:18.*, 17 min$/);
  });

  it('names the layer that broke last, unless the connection comes and goes', () => {
    expect(read({})).toContain('First broken: device');
    expect(read({ kind: 'flapping' })).not.toContain('First broken');
  });
});
