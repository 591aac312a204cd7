import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { decideNotices, type NoticeFacts, type NotifyRules, type ToldNotice } from './decide-notices.ts';

const GROUP_MS = 120_000;
const FAR_MS = 8.64e15;
const ALWAYS: NotifyRules = {
  channels: ['phone', 'chat'],
  routes: [{ channels: ['phone', 'chat'], severities: ['critical', 'warning', 'info'], services: null, during: null }],
  groupUpdatesMs: GROUP_MS,
};
const QUIET_FACTS: NoticeFacts = {
  over: false,
  begins: 'open',
  severity: 'critical',
  services: ['agent'],
  news: 'a',
  acknowledged: false,
  silencedUntilMs: null,
  told: [],
};
const told = (more: Partial<ToldNotice>): ToldNotice => ({
  id: 'ntf_1',
  channel: 'phone',
  kind: 'open',
  state: 'sent',
  reached: true,
  tookSince: false,
  news: 'a',
  acknowledged: false,
  decidedAtMs: 0,
  ...more,
});
const onPhone = (facts: Partial<NoticeFacts>, nowMs = 0, rules: Partial<NotifyRules> = {}) =>
  decideNotices({ ...QUIET_FACTS, ...facts }, { ...ALWAYS, channels: ['phone'], ...rules }, nowMs);

describe('who is told', () => {
  it('is every channel of every route that fits, once', () => {
    expect(decideNotices(QUIET_FACTS, ALWAYS, 0).tell).toEqual([
      { channel: 'phone', kind: 'open' },
      { channel: 'chat', kind: 'open' },
    ]);
    expect(onPhone({ told: [told({})] })).toMatchObject({ tell: [], quiet: [{ why: 'nothing_new' }] });
    const warnings = [{ channels: ['phone'], severities: ['warning'] as const, services: null, during: null }];
    expect(onPhone({}, 0, { routes: warnings })).toMatchObject({ tell: [], quiet: [{ why: 'no_route' }] });
  });

  it('is nobody while a silence or a closed window mutes it, and looked at again', () => {
    expect(onPhone({ silencedUntilMs: FAR_MS })).toMatchObject({
      tell: [],
      quiet: [{ why: 'silenced' }],
      lookAgainAtMs: 15_000,
    });
    expect(onPhone({ silencedUntilMs: 4000 }).lookAgainAtMs).toBe(4000);
    const nine = { days: ['mon'] as const, fromMinute: 540, toMinute: 1020, timeZone: 'UTC' };
    const routes = [{ channels: ['phone'], severities: ['critical'] as const, services: null, during: [nine] }];
    // 1970-01-05 was a Monday.
    const monday = 4 * 86_400_000;
    expect(onPhone({}, monday + 500, { routes })).toMatchObject({
      quiet: [{ why: 'outside_window' }],
      lookAgainAtMs: monday + 60_000,
    });
    expect(onPhone({}, monday + 540 * 60_000, { routes }).tell).toEqual([{ channel: 'phone', kind: 'open' }]);
  });

  it('is nobody of what ended or merged before it was told, as members of a mass outage do', () => {
    expect(onPhone({ over: true })).toMatchObject({ tell: [], quiet: [{ why: 'never_told' }] });
  });

  it('is nobody of the end of what cannot have arrived, which is overtaken', () => {
    const rows = [told({ state: 'pending', reached: false })];
    expect(onPhone({ over: true, told: rows })).toMatchObject({
      tell: [],
      quiet: [{ why: 'nothing_arrived' }],
      supersede: ['ntf_1'],
    });
    expect(onPhone({ over: true, told: [told({ state: 'pending', reached: true })] }).tell).toEqual([
      { channel: 'phone', kind: 'resolve' },
    ]);
  });

  it('is told the end although the hour is wrong or a silence began', () => {
    expect(onPhone({ over: true, silencedUntilMs: FAR_MS, told: [told({})] }, 0, { routes: [] }).tell).toEqual([
      { channel: 'phone', kind: 'resolve' },
    ]);
  });

  it('hears of an acknowledgement at once, and of other news in groups', () => {
    const rows = [told({})];
    expect(onPhone({ news: 'b', told: rows }, 1000)).toMatchObject({ tell: [], lookAgainAtMs: GROUP_MS });
    expect(onPhone({ news: 'b', told: rows }, GROUP_MS).tell).toEqual([{ channel: 'phone', kind: 'update' }]);
    expect(onPhone({ acknowledged: true, told: rows }, 1000).tell).toEqual([{ channel: 'phone', kind: 'update' }]);
  });

  it('gets one that was given up again when there is something new', () => {
    const rows = [told({ state: 'failed', reached: false })];
    expect(onPhone({ told: rows })).toMatchObject({ tell: [], quiet: [{ why: 'given_up' }] });
    expect(onPhone({ told: rows, news: 'b' }).tell).toEqual([{ channel: 'phone', kind: 'open' }]);
  });

  it('gets what was given up again, beginning or end, when the channel works again, and not for ever', () => {
    const lost = told({ state: 'failed', reached: false, tookSince: true });
    const end = told({ kind: 'resolve', state: 'failed', reached: false, tookSince: true });
    expect(onPhone({ told: [lost] }).tell).toEqual([{ channel: 'phone', kind: 'open' }]);
    expect(onPhone({ over: true, told: [told({}), end] }).tell).toEqual([{ channel: 'phone', kind: 'resolve' }]);
    const still = { ...end, tookSince: false };
    expect(onPhone({ over: true, told: [told({}), still] })).toMatchObject({
      tell: [],
      quiet: [{ why: 'nothing_new' }],
    });
    expect(onPhone({ told: [lost, lost, lost, lost] })).toMatchObject({ tell: [], quiet: [{ why: 'given_up' }] });
  });

  it('is not told the end of what was on its way when it ended and did not arrive after all', () => {
    const rows = [
      told({ state: 'superseded', reached: false }),
      told({ id: 'ntf_2', kind: 'resolve', state: 'pending', reached: false }),
    ];
    expect(onPhone({ over: true, told: rows })).toMatchObject({
      tell: [],
      quiet: [{ why: 'nothing_arrived' }],
      supersede: ['ntf_2'],
    });
  });
});

type Step =
  | { readonly step: 'news' | 'acknowledge' | 'end' | 'silence' | 'unsilence' }
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'deliver'; readonly how: 'sent' | 'maybe' | 'failed' };

const steps = fc.array(
  fc.oneof(
    fc.constantFrom('news', 'acknowledge', 'end', 'silence', 'unsilence').map((step): Step => ({ step }) as Step),
    fc.nat(200_000).map((ms): Step => ({ step: 'wait', ms })),
    fc.constantFrom('sent', 'maybe', 'failed').map((how): Step => ({ step: 'deliver', how }) as Step),
  ),
  { maxLength: 40 },
);

/** One channel's life: facts change, rows are decided and delivered, and the decision is asked after each step. */
function live(list: readonly Step[]) {
  let facts = QUIET_FACTS;
  let nowMs = 0;
  let number = 0;
  const rows = () => facts.told as ToldNotice[];
  const change = (id: string, more: Partial<ToldNotice>) => {
    facts = { ...facts, told: rows().map((row) => (row.id === id ? { ...row, ...more } : row)) };
  };
  const forward = (ms: number) => {
    nowMs = ms;
  };
  const decide = () => {
    const decision = onPhone(facts, nowMs);
    for (const id of decision.supersede) change(id, { state: 'superseded' });
    for (const { kind } of decision.tell) {
      number += 1;
      const { news, acknowledged } = facts;
      const row = told({
        id: `ntf_${number}`,
        kind,
        state: 'pending',
        reached: false,
        news,
        acknowledged,
        decidedAtMs: nowMs,
      });
      facts = { ...facts, told: [...rows(), row] };
    }
    return decision;
  };
  const apply = (step: Step) => {
    const waiting = rows().find(({ state }) => state === 'pending');
    if (step.step === 'news') facts = { ...facts, news: `${facts.news}+` };
    if (step.step === 'acknowledge') facts = { ...facts, acknowledged: true };
    if (step.step === 'end') facts = { ...facts, over: true };
    if (step.step === 'silence') facts = { ...facts, silencedUntilMs: FAR_MS };
    if (step.step === 'unsilence') facts = { ...facts, silencedUntilMs: null };
    if (step.step === 'wait') nowMs += step.ms;
    if (step.step === 'deliver' && waiting !== undefined) {
      if (step.how === 'sent') {
        for (const { id, state } of rows()) if (state === 'failed') change(id, { tookSince: true });
        change(waiting.id, { state: 'sent', reached: true });
      }
      if (step.how === 'maybe') change(waiting.id, { reached: true });
      if (step.how === 'failed') change(waiting.id, { state: 'failed' });
    }
  };
  for (const step of list) {
    apply(step);
    decide();
  }
  return { facts: () => facts, decide, apply, nowMs: () => nowMs, forward };
}

describe('over any life of an incident', () => {
  it('no end is told of what cannot have arrived, nothing after the end, and an end once', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const rows = live(list).facts().told;
        const end = rows.findIndex(({ kind }) => kind === 'resolve');
        if (end < 0) return;
        expect(rows.slice(0, end).some(({ reached }) => reached)).toBe(true);
        expect(rows).toHaveLength(end + 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('asking again without news changes nothing', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { decide } = live(list);
        decide();
        expect(decide()).toMatchObject({ tell: [], supersede: [] });
      }),
      { numRuns: 2000 },
    );
  });

  it('two updates that no acknowledgement asked for are never closer than the grouping', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const rows = live(list).facts().told;
        for (const [index, row] of rows.entries()) {
          const before = rows[index - 1];
          if (row.kind !== 'update' || before === undefined || (row.acknowledged && !before.acknowledged)) continue;
          expect(row.decidedAtMs - before.decidedAtMs).toBeGreaterThanOrEqual(GROUP_MS);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it(
    verifies('I12.notify', 'whatever is open, routed and not muted is told by the time it asked to be looked at again'),
    () => {
      fc.assert(
        fc.property(steps, (list) => {
          const life = live(list.filter(({ step }) => step !== 'end'));
          life.apply({ step: 'unsilence' });
          for (let left = 20; left > 0; left -= 1) {
            life.apply({ step: 'deliver', how: 'sent' });
            const { lookAgainAtMs } = life.decide();
            if (lookAgainAtMs !== null) life.forward(Math.max(lookAgainAtMs, life.nowMs()));
          }
          const last = life.facts().told.at(-1);
          // One given up with nothing new to say since is the only thing left unsaid.
          const given = last?.state === 'failed' && !last.reached;
          expect(last?.news).toBe(life.facts().news);
          expect(given || last?.state === 'sent' || last?.state === 'failed').toBe(true);
        }),
        { numRuns: 1000 },
      );
    },
  );
});
