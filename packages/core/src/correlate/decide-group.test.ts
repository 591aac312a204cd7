import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { SafeName } from '../model/safe-name.ts';
import { decideGroup } from './decide-group.ts';
import { dueAt } from './due-at.ts';
import type { GroupDecision, GroupFacts, Member } from './group-decision.ts';

const policy = {
  openAfterMs: 20_000,
  maxWaitMs: 120_000,
  reopenWithinMs: 600_000,
  flap: { windowMs: 600_000, opensAt: 4, settlesAt: 1 },
};
const NOW = 10_000_000;
const mac = { alias: 'dev_mac', type: 'device', name: 'mac-mini' as SafeName } as const;

function member(alias: string, down: boolean, since = NOW - 60_000): Member {
  const type = alias.startsWith('dev') ? 'device' : 'tunnel';
  return { alias, type, name: null, down, since, observedAt: since };
}

function facts(changes: Partial<GroupFacts> = {}): GroupFacts {
  const pending = { firstAt: NOW - 60_000, lastAt: NOW - 30_000, n: 2 };
  return { group: mac, members: [], open: null, lastResolved: null, policy, pending, ...changes };
}

const decide = (changes: Partial<GroupFacts>) => decideGroup(facts(changes), NOW);
const joined = (decision: GroupDecision) =>
  'joined' in decision ? decision.joined.map(({ subject, why }) => `${subject.alias} ${why}`) : [];

describe('decideGroup', () => {
  it('does nothing when nothing is pending', () => {
    expect(decide({ pending: null, members: [member('dev_mac', true)] })).toEqual({
      decision: 'none',
      reason: 'nothing_pending',
      lookAgainAt: null,
    });
  });

  it('waits until the group is due', () => {
    const pending = { firstAt: NOW - 5_000, lastAt: NOW - 1_000, n: 2 };
    expect(decide({ pending, members: [member('dev_mac', true)] })).toEqual({
      decision: 'wait',
      reason: 'debounce',
      dueAt: NOW + 19_000,
    });
  });

  it('records a blip when everything is back, naming who was seen', () => {
    const members = [member('tun_b', false), member('dev_mac', false), member('tun_a', false, NOW - 900_000)];
    const decision = decide({ members });
    expect(decision).toMatchObject({ decision: 'blip', reason: 'reconnected_in_time' });
    expect(decision.decision === 'blip' && decision.subjects.map(({ alias }) => alias)).toEqual(['dev_mac', 'tun_b']);
  });

  it('does not call connects alone a blip', () => {
    const pending = { firstAt: NOW - 60_000, lastAt: NOW - 30_000, n: 2, disconnects: 0 };
    expect(decide({ pending, members: [member('tun_a', false)] })).toMatchObject({ reason: 'no_disconnect' });
  });

  it('opens one device incident that absorbs the tunnels', () => {
    const members = [member('tun_b', true), member('tun_c', false), member('dev_mac', true), member('tun_a', true)];
    const decision = decide({ members });
    expect(decision).toMatchObject({
      decision: 'open',
      kind: 'device',
      reason: 'down',
      since: NOW - 60_000,
      merge: [],
    });
    expect(joined(decision)).toEqual([
      'dev_mac device_down',
      'tun_a tunnel_of_down_device',
      'tun_b tunnel_of_down_device',
    ]);
  });

  it('opens a tunnel incident while the device is up or unheard of', () => {
    expect(joined(decide({ members: [member('dev_mac', false), member('tun_a', true)] }))).toEqual([
      'tun_a tunnel_down',
    ]);
    expect(joined(decide({ members: [member('tun_a', true), member('tun_b', true)] }))).toEqual([
      'tun_a same_device',
      'tun_b same_device',
    ]);
    const lone = { alias: 'tun_a', type: 'tunnel', name: null } as const;
    expect(decide({ group: lone, members: [member('tun_a', true)] })).toMatchObject({
      decision: 'open',
      kind: 'tunnel',
    });
  });

  it('widens an open tunnel incident in place when its device turns out to be down', () => {
    const open = { id: 'inc_1', kind: 'tunnel', members: ['tun_a'] } as const;
    const decision = decide({ open, members: [member('dev_mac', true), member('tun_a', true), member('tun_b', true)] });
    expect(decision).toMatchObject({ decision: 'join', reason: 'device_absorbs', incident: 'inc_1', kind: 'device' });
    expect(joined(decision)).toEqual(['dev_mac device_down', 'tun_b tunnel_of_down_device']);
  });

  it('never narrows a device incident to a tunnel', () => {
    const open = { id: 'inc_1', kind: 'device', members: ['dev_mac'] } as const;
    expect(decide({ open, members: [member('dev_mac', false), member('tun_a', true)] })).toMatchObject({
      decision: 'join',
      kind: 'device',
      reason: 'same_group',
    });
  });

  it('merges incidents that tunnels opened before their device was known', () => {
    const memberIncidents = [
      { id: 'inc_2', kind: 'tunnel', members: ['tun_b'] },
      { id: 'inc_1', kind: 'tunnel', members: ['tun_a'] },
    ] as const;
    const decision = decide({ memberIncidents, members: [member('dev_mac', true), member('tun_a', true)] });
    expect(decision).toMatchObject({
      decision: 'open',
      kind: 'device',
      merge: [
        { incident: 'inc_1', why: 'tunnel_of_down_device' },
        { incident: 'inc_2', why: 'tunnel_of_down_device' },
      ],
    });
  });

  it('does not tell a tunnel outage twice because its device became known meanwhile', () => {
    const memberIncidents = [{ id: 'inc_1', kind: 'tunnel', members: ['tun_a'] }] as const;
    expect(decide({ memberIncidents, members: [member('tun_a', true)] })).toMatchObject({ reason: 'already_covered' });
  });

  it('leaves an open incident alone when there is nothing to add', () => {
    const open = { id: 'inc_1', kind: 'tunnel', members: ['tun_a'] } as const;
    expect(decide({ open, members: [member('tun_a', true)] })).toMatchObject({ reason: 'already_known' });
    expect(decide({ open, members: [member('tun_a', false)] })).toMatchObject({ reason: 'awaiting_verification' });
  });

  it('names the cause of an application incident', () => {
    const open = { id: 'inc_1', kind: 'application', members: [] } as const;
    expect(decide({ open, members: [member('dev_mac', true)] })).toMatchObject({
      decision: 'join',
      reason: 'cause_found',
      kind: 'device',
    });
  });

  it('reopens within reopenWithin of the first sign, and opens anew after it', () => {
    const members = [member('dev_mac', true)];
    const at = (resolvedAt: number) => decide({ members, lastResolved: { id: 'inc_1', resolvedAt } }).decision;
    expect(at(NOW - 60_000 - 600_000)).toBe('reopen');
    expect(at(NOW - 60_000 - 600_001)).toBe('open');
  });

  it('turns flapping into an incident even while everything is up', () => {
    const transitions = [{ alias: 'tun_a', at: [1, 2, 3, 4].map((minute) => NOW - minute * 60_000) }];
    const members = [member('dev_mac', false), member('tun_a', false)];
    const lookAgainAt = NOW - 120_000 + 600_000;
    expect(decide({ transitions, members })).toMatchObject({ decision: 'open', kind: 'flapping', lookAgainAt });
    expect(joined(decide({ transitions, members }))).toEqual(['tun_a flapping']);
    const open = { id: 'inc_1', kind: 'tunnel', members: ['tun_a'] } as const;
    expect(decide({ transitions, members, open })).toMatchObject({ decision: 'join', kind: 'flapping', lookAgainAt });
    const mass = { ...open, kind: 'mass' } as const;
    expect(decide({ transitions, members, open: mass })).toMatchObject({ reason: 'awaiting_verification' });
  });

  it('holds a flapping incident until it settles, then gives it the kind of its cause', () => {
    const open = { id: 'inc_1', kind: 'flapping', members: ['dev_mac'] } as const;
    const restless = [{ alias: 'dev_mac', at: [NOW - 120_000, NOW - 60_000] }];
    const calm = [{ alias: 'dev_mac', at: [NOW - 60_000] }];
    const members = [member('dev_mac', false)];
    const still = { decision: 'none', reason: 'still_flapping', lookAgainAt: NOW + 480_000 };
    expect(decide({ open, members, transitions: restless })).toEqual(still);
    expect(decide({ open, members, transitions: restless, pending: null })).toEqual(still);
    expect(decide({ open, members, transitions: calm, pending: null })).toMatchObject({
      decision: 'join',
      reason: 'flapping_settled',
      kind: 'device',
      lookAgainAt: null,
    });
  });
});

const ALIASES = ['dev_mac', 'tun_a', 'tun_b', 'tun_c'];
const time = fc.integer({ min: NOW - 900_000, max: NOW });
const someFacts: fc.Arbitrary<GroupFacts> = fc
  .record({
    members: fc
      .subarray(ALIASES)
      .chain((aliases) =>
        fc.tuple(
          ...aliases.map((alias) =>
            fc
              .record({ down: fc.boolean(), since: time, observedAt: time })
              .map((rest) => ({ ...member(alias, false), ...rest })),
          ),
        ),
      ),
    open: fc.option(
      fc.record({
        id: fc.constant('inc_open'),
        kind: fc.constantFrom('device', 'tunnel', 'application', 'mass', 'flapping' as const),
        members: fc.subarray(ALIASES),
      }),
    ),
    memberIncidents: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('inc_1', 'inc_2', 'inc_3'),
        kind: fc.constant('tunnel' as const),
        members: fc.subarray(ALIASES.slice(1)),
      }),
      { selector: ({ id }) => id },
    ),
    lastResolved: fc.option(fc.record({ id: fc.constant('inc_last'), resolvedAt: time })),
    pending: fc.option(
      fc.tuple(time, time, fc.nat(9)).map(([a, b, n]) => ({ firstAt: Math.min(a, b), lastAt: Math.max(a, b), n })),
    ),
    transitions: fc
      .subarray(ALIASES)
      .chain((aliases) =>
        fc.tuple(
          ...aliases.map((alias) => fc.record({ alias: fc.constant(alias), at: fc.array(time, { maxLength: 6 }) })),
        ),
      ),
  })
  .map((given) => facts(given));

describe('decideGroup, on any facts', () => {
  it('does not depend on the order in which facts are listed', () => {
    const orders = fc.tuple(...[1, 2, 3, 4].map(() => fc.array(fc.nat(), { minLength: 8, maxLength: 8 })));
    const shuffle = <T>(items: readonly T[], order: readonly number[] = []) =>
      items
        .map((item, index) => ({ item, key: order[index] ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
    fc.assert(
      fc.property(someFacts, orders, (given, [first, second, third, fourth]) => {
        const shuffled: GroupFacts = {
          ...given,
          members: shuffle(given.members, first),
          memberIncidents: shuffle(given.memberIncidents ?? [], second),
          transitions: shuffle(given.transitions ?? [], third),
          open: given.open && { ...given.open, members: shuffle(given.open.members, fourth) },
        };
        expect(decideGroup(shuffled, NOW)).toEqual(decideGroup(given, NOW));
      }),
      { numRuns: 1000 },
    );
  });

  it(verifies('I10', 'waits only before the due time, which maxWait bounds'), () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        const decision = decideGroup(given, NOW);
        if (decision.decision === 'wait') {
          expect(decision.dueAt).toBeGreaterThan(NOW);
          expect(decision.dueAt).toBeLessThanOrEqual((given.pending?.firstAt ?? 0) + policy.maxWaitMs);
        }
        if (given.pending !== null) {
          const late = Math.max(NOW, given.pending.firstAt + policy.maxWaitMs);
          expect(decideGroup(given, late).decision).not.toBe('wait');
          expect(decideGroup(given, dueAt(given.pending, policy)).decision).not.toBe('wait');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it(verifies('I4', 'never opens or reopens beside an open incident of the group'), () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        const { decision } = decideGroup(given, NOW);
        if (given.open !== null) expect(['open', 'reopen', 'blip']).not.toContain(decision);
        else expect(decision).not.toBe('join');
      }),
      { numRuns: 1000 },
    );
  });

  it('joins only members that are down or flap, each once, and none twice', () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        const decision = decideGroup(given, NOW);
        if (!('joined' in decision)) return;
        const names = decision.joined.map(({ subject }) => subject.alias);
        expect(new Set(names).size).toBe(names.length);
        for (const { subject, why } of decision.joined) {
          expect(given.open?.members ?? []).not.toContain(subject.alias);
          const { down } = given.members.find(({ alias }) => alias === subject.alias) ?? { down: false };
          expect(down || why === 'flapping').toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('has nothing left to say once its decision is carried out', () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        const first = decideGroup(given, NOW);
        if (!('joined' in first)) return;
        const id = first.decision === 'open' ? 'inc_new' : first.incident;
        const members = [...(given.open?.members ?? []), ...first.joined.map(({ subject }) => subject.alias)];
        const after: GroupFacts = { ...given, open: { id, kind: first.kind, members }, memberIncidents: [] };
        expect(decideGroup(after, NOW).decision).toMatch(/^(?:none|wait)$/);
      }),
      { numRuns: 1000 },
    );
  });
});
