import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSourceTally, type SourceOutcome } from './source-tally.ts';

type Saved = Parameters<Parameters<typeof createSourceTally>[0]>[0];

/** A tally whose saving may be made to fail. */
function watched() {
  const saved: Saved[] = [];
  const state = { fails: false };
  const tally = createSourceTally(
    async (counts) => {
      if (state.fails) throw new Error('the store is away');
      saved.push(counts);
    },
    () => 1_764_460_800_000,
  );
  return { tally, saved, state };
}

describe('the tally of sources', () => {
  it('writes sums, and nothing when nothing came', async () => {
    const { tally, saved } = watched();
    await tally.flush();
    for (const outcome of ['recorded', 'recorded', 'malformed'] as const) tally.note(7, outcome);
    tally.note(8, 'media_type');
    await tally.flush();
    await tally.flush();
    expect(saved).toEqual([
      [
        {
          sourceId: 7,
          outcomes: { recorded: 2, malformed: 1 },
          lastSeenAt: new Date(1_764_460_800_000),
          firstReport: null,
          firstRejection: null,
        },
        {
          sourceId: 8,
          outcomes: { media_type: 1 },
          lastSeenAt: new Date(1_764_460_800_000),
          firstReport: null,
          firstRejection: null,
        },
      ],
    ]);
  });

  it('describes the first delivery of each source only', async () => {
    const { tally, saved } = watched();
    let asked = 0;
    for (const sourceId of [1, 1, 2, 1]) {
      tally.note(sourceId, 'recorded', () => {
        asked += 1;
        return { dateShape: `of ${sourceId}` };
      });
    }
    await tally.flush();
    expect(asked).toBe(2);
    expect(saved[0]?.map(({ firstReport }) => firstReport)).toEqual([{ dateShape: 'of 1' }, { dateShape: 'of 2' }]);
  });

  it('describes apart the first that was not understood, whatever came before it', async () => {
    const { tally, saved } = watched();
    const came = ['too_large', 'recorded', 'malformed', 'rate_limited', 'repeated'] as const;
    for (const outcome of came) tally.note(1, outcome, () => ({ outcome }));
    tally.note(2, 'recorded', () => ({ outcome: 'recorded' }));
    await tally.flush();
    tally.note(2, 'media_type', () => ({ outcome: 'media_type' }));
    await tally.flush();
    expect(saved.map((rows) => rows.map((row) => [row.firstReport, row.firstRejection]))).toEqual([
      [
        [{ outcome: 'recorded' }, { outcome: 'too_large' }],
        [{ outcome: 'recorded' }, null],
      ],
      [[null, { outcome: 'media_type' }]],
    ]);
  });

  it('loses no count and no report to a store that is away for a while', async () => {
    const outcome = fc.constantFrom<SourceOutcome>('recorded', 'repeated', 'malformed', 'too_large');
    const step = fc.oneof(
      fc.record({ source: fc.integer({ min: 1, max: 3 }), outcome }),
      fc.constantFrom('flush' as const, 'fail' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { tally, saved, state } = watched();
        const expected = new Map<string, number>();
        for (const now of steps) {
          if (typeof now === 'object') {
            tally.note(now.source, now.outcome, () => ({}));
            const key = `${now.source} ${now.outcome}`;
            expected.set(key, (expected.get(key) ?? 0) + 1);
            continue;
          }
          state.fails = now === 'fail';
          await tally.flush().catch(() => undefined);
        }
        state.fails = false;
        await tally.flush();
        const counted = new Map<string, number>();
        const rows = saved.flat();
        for (const { sourceId, outcomes } of rows)
          for (const [name, count] of Object.entries(outcomes))
            counted.set(`${sourceId} ${name}`, (counted.get(`${sourceId} ${name}`) ?? 0) + count);
        expect(counted).toEqual(expected);
        const reports = rows.flatMap(({ sourceId, firstReport, firstRejection }) => [
          ...(firstReport === null ? [] : [`${sourceId} understood`]),
          ...(firstRejection === null ? [] : [`${sourceId} not`]),
        ]);
        const understood = (key: string) => /recorded|repeated/.test(key);
        const due = [...expected.keys()].map((key) => `${key[0]} ${understood(key) ? 'understood' : 'not'}`);
        expect(reports.sort()).toEqual([...new Set(due)].sort());
      }),
    );
  });
});
