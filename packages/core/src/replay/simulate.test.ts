import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Policy } from '../model/policy.ts';
import { compareReplays } from './compare-replays.ts';
import type { ReplayHistory, ReplayObservation, ReplayRules, ReplaySubject } from './replay-model.ts';
import { simulate } from './simulate.ts';

const POLICY: Policy = {
  openAfterMs: 20_000,
  maxWaitMs: 120_000,
  reopenWithinMs: 600_000,
  flap: { windowMs: 600_000, opensAt: 4, settlesAt: 1 },
  verify: { passes: 2, everyMs: 5000, timeoutMs: 5000, edgeTimeoutMs: 35_000, recheckEveryMs: 300_000 },
  release: { canary: 1, maxPerSecond: 20, retry: { attempts: 8, baseDelayMs: 1, maxDelayMs: 1, maxElapsedMs: 1 } },
};
const MASS = { windowMs: 30_000, minDevices: 3, fraction: 0.5 };
const rules = (policy: Partial<Policy> = {}, mass: ReplayRules['mass'] = null): ReplayRules => ({
  byName: { default: { ...POLICY, ...policy } },
  fallback: { ...POLICY, ...policy },
  mass,
});

const DEVICES = 4;
const START = 1_700_000_000_000;
const SUBJECTS: ReplaySubject[] = Array.from({ length: DEVICES }, (_, index): ReplaySubject[] => [
  toSubject(`dev_${index}`, null),
  toSubject(`tun_${index}`, `dev_${index}`),
]).flat();

function toSubject(alias: string, deviceAlias: string | null): ReplaySubject {
  const type = deviceAlias === null ? 'device' : 'tunnel';
  return { alias, type, name: null, sourceGroup: 'home', deviceAlias, watched: true, policies: ['default'] };
}

type Told = readonly [subject: string, status: 'up' | 'down', atSecond: number];

function toObservation([subject, status, second]: Told, index = 0): ReplayObservation {
  const receivedAt = START + second * 1000;
  return {
    key: `key_${String(index).padStart(3, '0')}`,
    subject,
    status: status === 'up' ? 'connected' : 'disconnected',
    ticks: BigInt(receivedAt) * 10_000n,
    trusted: true,
    receivedAt,
  };
}

function history(told: readonly Told[], untilSecond = 10_000): ReplayHistory {
  const observations = told.map(toObservation);
  return { subjects: SUBJECTS, before: [], observations, until: START + untilSecond * 1000 };
}

const secondsOf = (times: readonly (number | null)[]) => times.map((at) => (at === null ? null : (at - START) / 1000));

describe('a replay', () => {
  it('opens after the debounce and ends when its verification would have passed', () => {
    const { incidents, pages } = simulate(
      history([
        ['tun_0', 'down', 0],
        ['dev_0', 'down', 5],
        ['dev_0', 'up', 60],
        ['tun_0', 'up', 70],
      ]),
      rules(),
    );
    expect(incidents).toMatchObject([{ kind: 'device', group: 'dev_0', members: ['dev_0', 'tun_0'], reopenedAt: [] }]);
    expect(secondsOf(incidents.flatMap(({ since, openedAt, resolvedAt }) => [since, openedAt, resolvedAt]))).toEqual([
      0, 25, 75,
    ]);
    expect(pages).toBe(1);
  });

  it('counts what heals in time as a blip', () => {
    const { incidents, blips } = simulate(
      history([
        ['tun_0', 'down', 0],
        ['tun_0', 'up', 19],
      ]),
      rules(),
    );
    expect(incidents).toEqual([]);
    expect(secondsOf(blips.map(({ at }) => at))).toEqual([39]);
  });

  it('reopens within the time, and pages again', () => {
    const told: Told[] = [
      ['tun_0', 'down', 0],
      ['tun_0', 'up', 60],
      ['tun_0', 'down', 200],
      ['tun_0', 'up', 300],
      ['tun_0', 'down', 2000],
    ];
    const { incidents, pages } = simulate(history(told), rules());
    expect(
      incidents.map(({ openedAt, reopenedAt, resolvedAt }) => secondsOf([openedAt, ...reopenedAt, resolvedAt])),
    ).toEqual([
      [20, 220, 305],
      [2020, null],
    ]);
    expect(pages).toBe(3);
  });

  it('turns flapping, settles, and ends only then', () => {
    const told: Told[] = [0, 10, 20, 30, 40].map((second) => ['tun_0', second % 20 === 0 ? 'down' : 'up', second]);
    const { incidents } = simulate(history([...told, ['tun_0', 'up', 50]]), rules());
    expect(incidents).toMatchObject([{ group: 'dev_0', kind: 'tunnel' }]);
    expect(secondsOf(incidents.flatMap(({ flappingAt, resolvedAt }) => [...flappingAt, resolvedAt]))).toEqual([
      70, 645,
    ]);
  });

  it('joins many devices lost at once into one mass outage, and tells apart what stays down', () => {
    const lost: Told[] = [0, 1, 2, 3].map((index) => [`dev_${index}`, 'down', index]);
    const back: Told[] = [0, 1, 2, 3].map((index) => [`dev_${index}`, 'up', 100 + index]);
    const { incidents, pages } = simulate(history([...lost, ...back]), rules({}, MASS));
    expect(incidents).toMatchObject([{ kind: 'mass', group: 'home', members: ['dev_0', 'dev_1', 'dev_2', 'dev_3'] }]);
    expect(secondsOf(incidents.flatMap(({ openedAt, resolvedAt }) => [openedAt, resolvedAt]))).toEqual([20, 108]);
    expect(pages).toBe(1);
    expect(simulate(history([...lost, ...back]), rules()).pages).toBe(4);
  });

  it('lets no straggler of a mass outage hide what is lost later, and tells it by itself in the end', () => {
    const lost: Told[] = [0, 1, 2].map((index) => [`dev_${index}`, 'down', index]);
    const back: Told[] = [0, 1].map((index) => [`dev_${index}`, 'up', 100 + index]);
    const later: Told[] = [
      ['dev_3', 'down', 300],
      ['dev_3', 'up', 400],
    ];
    const { incidents } = simulate(history([...lost, ...back, ...later]), rules({}, MASS));
    expect(incidents.map(({ kind, group }) => [kind, group])).toEqual([
      ['mass', 'home'],
      ['device', 'dev_3'],
      ['device', 'dev_2'],
    ]);
    expect(secondsOf(incidents.flatMap(({ openedAt, resolvedAt }) => [openedAt, resolvedAt]))).toEqual([
      20,
      101 + 600,
      320,
      405,
      701 + 20,
      null,
    ]);
  });

  it('tells by itself what came back of a mass outage and is lost again, while another of it lingers', () => {
    const told: Told[] = [
      ...[0, 1, 2].map((index): Told => [`dev_${index}`, 'down', index]),
      ...[0, 1].map((index): Told => [`dev_${index}`, 'up', 100 + index]),
      ...[0, 1].map((index): Told => [`dev_${index}`, 'down', 300 + index]),
    ];
    const { incidents } = simulate(history(told), rules({}, MASS));
    expect(incidents.map(({ group }) => group).slice(0, 3)).toEqual(['home', 'dev_0', 'dev_1']);
  });

  it('finds a mass outage whose last device comes alone, after the others were told by themselves', () => {
    const lost: Told[] = [
      ['dev_0', 'down', 0],
      ['dev_1', 'down', 0],
      ['dev_2', 'down', 25],
    ];
    const { incidents } = simulate(history(lost), rules({}, MASS));
    expect(incidents.map(({ kind, mergedInto }) => [kind, mergedInto !== null])).toEqual([
      ['device', true],
      ['device', true],
      ['mass', false],
    ]);
  });

  it('finds it as well when those were told again', () => {
    const early = (status: 'up' | 'down', at: number): Told[] => [0, 1].map((index) => [`dev_${index}`, status, at]);
    const lost: Told[] = [...early('down', 0), ...early('up', 60), ...early('down', 400), ['dev_2', 'down', 425]];
    const { incidents } = simulate(history(lost), rules({}, MASS));
    expect(incidents.map(({ kind, mergedInto }) => [kind, mergedInto !== null])).toEqual([
      ['device', true],
      ['device', true],
      ['mass', false],
    ]);
  });

  it('stops its clock where it is told to', () => {
    expect(simulate(history([['tun_0', 'down', 0]], 19), rules()).incidents).toEqual([]);
    expect(simulate(history([['tun_0', 'down', 0]], 20), rules()).pages).toBe(1);
  });

  it('keeps what is suspect down until it is reported as connected and verified', () => {
    const undated = { ...toObservation(['tun_0', 'down', 0]), ticks: null, trusted: false };
    const told = { ...history([]), observations: [undated, toObservation(['tun_0', 'up', 100], 1)] };
    expect(secondsOf(simulate(told, rules()).incidents.flatMap((one) => [one.openedAt, one.resolvedAt]))).toEqual([
      20, 105,
    ]);
  });

  it('does not end while its device is down, though that is not decided yet', () => {
    const told = history([
      ['tun_0', 'down', 0],
      ['tun_0', 'up', 30],
      ['dev_0', 'down', 30],
      ['dev_0', 'up', 60],
    ]);
    const { incidents } = simulate(told, rules());
    expect(incidents).toMatchObject([{ kind: 'device', members: ['dev_0', 'tun_0'] }]);
    expect(secondsOf(incidents.map(({ resolvedAt }) => resolvedAt))).toEqual([65]);
  });

  it('says which outages differ', () => {
    const told = history([
      ['dev_0', 'down', 0],
      ['dev_0', 'up', 30],
      ['dev_1', 'down', 1000],
    ]);
    const found = compareReplays(simulate(told, rules()), simulate(told, rules({ openAfterMs: 60_000 })));
    expect(found.map(({ change, current, proposed }) => [change, current?.group, proposed?.group])).toEqual([
      ['only_current', 'dev_0', undefined],
      ['changed', 'dev_1', 'dev_1'],
    ]);
  });
});

const toldArb: fc.Arbitrary<Told> = fc.tuple(
  fc.constantFrom(...SUBJECTS.map(({ alias }) => alias)),
  fc.constantFrom('up', 'down' as const),
  fc.integer({ min: 0, max: 400 }),
);
const historyArb = fc.array(toldArb, { maxLength: 40 }).map((told) => history(told));

describe('for every history', () => {
  it('groups to which nothing happens change nothing', () => {
    const idle = Array.from({ length: 20 }, (_, n) => toSubject(`dev_idle${n}`, null));
    fc.assert(
      fc.property(historyArb, (told) => {
        const among = simulate({ ...told, subjects: [...told.subjects, ...idle] }, rules());
        expect(among).toEqual(simulate(told, rules()));
      }),
    );
  });

  it('the same policy twice differs in nothing', () => {
    fc.assert(
      fc.property(historyArb, fc.constantFrom(null, MASS), (told, mass) => {
        const found = compareReplays(simulate(told, rules({}, mass)), simulate(told, rules({}, mass)));
        expect(found.filter(({ change }) => change !== 'same')).toEqual([]);
      }),
    );
  });

  it('the order of rows plays no part, also of those received at one moment', () => {
    const shuffled = historyArb.chain((told) =>
      fc.tuple(
        fc.constant(told),
        fc.shuffledSubarray([...told.observations], { minLength: told.observations.length }),
        fc.shuffledSubarray([...told.subjects], { minLength: told.subjects.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, fc.constantFrom(null, MASS), ([told, observations, subjects], mass) => {
        const again = simulate({ ...told, observations, subjects }, rules({}, mass));
        expect(again).toEqual(simulate(told, rules({}, mass)));
      }),
    );
  });

  it('a longer openAfter never opens more, where maxWait does not cut the debounce short', () => {
    // With a short maxWait it can: it moves the moment at which a restless group happens to be looked at. So can mass
    // grouping, where devices that are back in time leave too few for one incident.
    const patient = { maxWaitMs: 10_000_000, reopenWithinMs: 0, flap: { ...POLICY.flap, opensAt: 1000 } };
    fc.assert(
      fc.property(historyArb, fc.integer({ min: 0, max: 60_000 }), fc.nat(60_000), (told, openAfterMs, more) => {
        const sooner = simulate(told, rules({ ...patient, openAfterMs }));
        const later = simulate(told, rules({ ...patient, openAfterMs: openAfterMs + more }));
        expect(later.pages).toBeLessThanOrEqual(sooner.pages);
      }),
      { numRuns: 300 },
    );
  });
});
