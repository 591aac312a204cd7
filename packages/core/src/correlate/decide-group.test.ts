import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { SafeName } from '../model/safe-name.ts';
import { decideGroup } from './decide-group.ts';
import { dueAt } from './due-at.ts';
import type { GroupDecision, GroupFacts, Member, OpenMass } from './group-decision.ts';

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
    expect(at(NOW - 60_000 - 599_999)).toBe('reopen');
    expect(at(NOW - 60_000 - 600_000)).toBe('open');
  });

  it('reopens what ended while the debounce was under way, and never where reopenWithin is 0', () => {
    const members = [member('dev_mac', true)];
    const lastResolved = { id: 'inc_1', resolvedAt: NOW - 1000 };
    expect(decide({ members, lastResolved }).decision).toBe('reopen');
    expect(decide({ members, lastResolved, policy: { ...policy, reopenWithinMs: 0 } }).decision).toBe('open');
  });

  it('turns flapping into an incident even while everything is up', () => {
    const transitions = [{ alias: 'tun_a', at: [1, 2, 3, 4].map((minute) => NOW - minute * 60_000) }];
    const members = [member('dev_mac', false), member('tun_a', false)];
    const lookAgainAt = NOW - 120_000 + 600_000;
    expect(decide({ transitions, members })).toMatchObject({ decision: 'open', kind: 'flapping', lookAgainAt });
    expect(joined(decide({ transitions, members }))).toEqual(['tun_a flapping']);
    const open = { id: 'inc_1', kind: 'tunnel', members: ['tun_a'] } as const;
    expect(decide({ transitions, members, open })).toMatchObject({ decision: 'join', kind: 'flapping', lookAgainAt });
    const mass = { id: 'inc_m', members: ['tun_a'], back: [], absorbs: false, joinsUntil: Number.POSITIVE_INFINITY };
    expect(decide({ transitions, members, mass })).toMatchObject({ decision: 'open', kind: 'flapping' });
    const still = [member('dev_mac', false), member('tun_a', true)];
    expect(decide({ transitions, members: still, mass })).toMatchObject({ reason: 'already_known' });
    const back = { ...mass, back: ['tun_a'] };
    expect(decide({ transitions, members: still, mass: back })).toMatchObject({ decision: 'open', kind: 'flapping' });
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
      flap: { transitions: 1, windowMs: 600_000 },
    });
  });

  it('says how often it changed exactly when flapping starts or ends', () => {
    const restless = [{ alias: 'tun_a', at: [1, 2, 3, 4, 5].map((minute) => NOW - minute * 60_000) }];
    const flapOf = (changes: Partial<GroupFacts>) => {
      const decision = decide({ members: [member('tun_a', true)], transitions: restless, ...changes });
      return 'flap' in decision ? decision.flap : undefined;
    };
    const open = { id: 'inc_1', kind: 'tunnel', members: ['tun_a'] } as const;
    expect(flapOf({})).toEqual({ transitions: 5, windowMs: 600_000 });
    expect(flapOf({ open })).toEqual({ transitions: 5, windowMs: 600_000 });
    expect(flapOf({ open: { ...open, kind: 'flapping', members: [] } })).toBeNull();
    expect(flapOf({ open: { ...open, members: [] }, transitions: [] })).toBeNull();
  });

  it('lets a device take over a tunnel that flapped before the device was known, restless or calm', () => {
    const memberIncidents = [{ id: 'inc_1', kind: 'flapping', members: ['tun_a'] }] as const;
    const transitions = [{ alias: 'tun_a', at: [NOW - 120_000, NOW - 60_000] }];
    const members = [member('dev_mac', false), member('tun_a', false)];
    const merge = [{ incident: 'inc_1', why: 'same_device' }];
    const taken = decide({ memberIncidents, members, transitions, pending: null });
    expect(taken).toMatchObject({ decision: 'open', kind: 'flapping', merge, lookAgainAt: NOW + 480_000 });
    const calm = decide({ memberIncidents, members, transitions: [], pending: null });
    expect(calm).toMatchObject({
      decision: 'open',
      kind: 'tunnel',
      merge,
      lookAgainAt: null,
      flap: { transitions: 0 },
    });
  });

  it('joins the mass outage of its source group at once, and merges what it told before if it was part of it', () => {
    const pending = { firstAt: NOW - 1000, lastAt: NOW, n: 2 };
    const members = [member('dev_mac', true), member('tun_a', true)];
    const mass = { id: 'inc_m', members: [], back: [], absorbs: false, joinsUntil: Number.POSITIVE_INFINITY };
    const joins = { decision: 'join', reason: 'mass_outage', incident: 'inc_m', kind: 'mass' };
    expect(decide({ pending, members, mass })).toMatchObject(joins);
    expect(joined(decide({ pending, members, mass }))).toEqual(['dev_mac mass_outage', 'tun_a mass_outage']);
    expect(decide({ members, mass: { ...mass, members: ['dev_mac', 'tun_a'] } })).toMatchObject({
      reason: 'already_known',
    });
    const open = { id: 'inc_1', kind: 'device', members: ['dev_mac'] } as const;
    expect(decide({ members, mass, open })).toMatchObject({ incident: 'inc_1', kind: 'device' });
    expect(decide({ members, mass: { ...mass, absorbs: true }, open, pending: null })).toMatchObject({
      ...joins,
      merge: [{ incident: 'inc_1', why: 'mass_outage' }],
    });
    const unstable = { ...open, kind: 'flapping' } as const;
    const transitions = [{ alias: 'dev_mac', at: [NOW - 3000, NOW - 2000, NOW - 1000] }];
    expect(decide({ members, mass: { ...mass, absorbs: true }, open: unstable, transitions })).toMatchObject({
      incident: 'inc_1',
      kind: 'flapping',
    });
  });

  it('records a blip beside a mass outage only for a group that is not in it', () => {
    const members = [member('dev_mac', false)];
    const mass = { id: 'inc_m', members: [], back: [], absorbs: false, joinsUntil: Number.POSITIVE_INFINITY };
    expect(decide({ members, mass })).toMatchObject({ decision: 'blip' });
    expect(decide({ members, mass: { ...mass, members: ['dev_mac'] } })).toMatchObject({
      reason: 'awaiting_verification',
    });
  });

  it('tells by itself what drops after the mass outage was over but for a straggler, and the straggler not again', () => {
    const lingering = {
      id: 'inc_m',
      members: ['dev_mac'],
      back: ['dev_mac'],
      absorbs: false,
      joinsUntil: NOW - 60_001,
    };
    const members = [member('dev_mac', true)];
    expect(decide({ members, mass: lingering })).toMatchObject({ decision: 'open', kind: 'device', reason: 'down' });
    expect(decide({ members, mass: { ...lingering, members: [], back: [] } })).toMatchObject({ decision: 'open' });
    expect(decide({ members, mass: { ...lingering, back: [] } })).toMatchObject({ reason: 'already_known' });
    const open = { id: 'inc_1', kind: 'application', members: [] } as const;
    expect(decide({ members, open, mass: { ...lingering, absorbs: true } })).toMatchObject({
      incident: 'inc_1',
      reason: 'cause_found',
    });
    const goesOn = { ...lingering, joinsUntil: NOW - 60_000 };
    expect(joined(decide({ members, mass: goesOn }))).toEqual(['dev_mac mass_outage']);
    expect(decide({ members: [member('dev_mac', false)], mass: lingering })).toMatchObject({ decision: 'blip' });
  });

  it('says when only a poll knows that a member is down', () => {
    const polled = { ...member('dev_mac', true), polled: true };
    expect(joined(decide({ members: [polled, member('tun_a', true)] }))).toEqual([
      'dev_mac polled_offline',
      'tun_a tunnel_of_down_device',
    ]);
  });
});

const ALIASES = ['dev_mac', 'tun_a', 'tun_b', 'tun_c'];
const toldBy = (mass: OpenMass, joining: readonly string[]): OpenMass => ({
  ...mass,
  members: [...mass.members, ...joining],
  back: mass.back.filter((alias) => !joining.includes(alias)),
});
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
        kind: fc.constantFrom('device', 'tunnel', 'application', 'flapping' as const),
        members: fc.subarray(ALIASES),
      }),
    ),
    memberIncidents: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('inc_1', 'inc_2', 'inc_3'),
        kind: fc.constantFrom('tunnel', 'flapping' as const),
        members: fc.subarray(ALIASES.slice(1)),
      }),
      { selector: ({ id }) => id },
    ),
    mass: fc.option(
      fc.record({
        id: fc.constant('inc_mass'),
        members: fc.subarray(ALIASES),
        back: fc.subarray(ALIASES),
        absorbs: fc.boolean(),
        joinsUntil: fc.oneof(time, fc.constant(Number.POSITIVE_INFINITY)),
      }),
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
        const decided = decideGroup(given, NOW);
        if (given.open !== null) expect(['open', 'reopen', 'blip']).not.toContain(decided.decision);
        else if (decided.decision === 'join') expect(decided.incident).toBe(given.mass?.id);
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
          const before = decision.kind === 'mass' ? given.mass : given.open;
          const again = decision.kind === 'mass' && given.mass?.back.includes(subject.alias);
          if (!again) expect(before?.members ?? []).not.toContain(subject.alias);
          const { down } = given.members.find(({ alias }) => alias === subject.alias) ?? { down: false };
          expect(down || why === 'flapping').toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('tells nothing anew of what a person ended by an override, and is otherwise the same', () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        const decision = decideGroup({ ...given, overridden: true }, NOW);
        const usual = decideGroup(given, NOW);
        const begins = (usual.decision === 'open' || usual.decision === 'reopen') && given.open === null;
        if (!begins) return;
        // A tunnel's own incident that flaps goes on under its device, which is no new outage.
        if (decision.decision === 'none') expect(decision.reason).toBe('overridden');
        else expect(given.memberIncidents?.some(({ kind }) => kind === 'flapping')).toBe(true);
      }),
      { numRuns: 1000 },
    );
    const down = { members: [member('dev_mac', true)], overridden: true };
    expect(decide(down)).toMatchObject({ decision: 'none', reason: 'overridden' });
    expect(decide({ ...down, pending: null })).toMatchObject({ reason: 'nothing_pending' });
    expect(decide({ ...down, open: { id: 'inc_1', kind: 'tunnel', members: [] } })).toMatchObject({ decision: 'join' });
  });

  it('has nothing left to say once its decision is carried out', () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        const first = decideGroup(given, NOW);
        if (!('joined' in first)) return;
        const id = first.decision === 'open' ? 'inc_new' : first.incident;
        const joining = first.joined.map(({ subject }) => subject.alias);
        const after: GroupFacts =
          first.kind === 'mass'
            ? { ...given, mass: toldBy(given.mass!, joining), open: null }
            : { ...given, open: { id, kind: first.kind, members: [...(given.open?.members ?? []), ...joining] } };
        // A mass outage absorbs what was told before only in the pass that opens it.
        const mass = after.mass ? { ...after.mass, absorbs: false } : null;
        expect(decideGroup({ ...after, mass, memberIncidents: [] }, NOW).decision).toMatch(/^(?:none|wait)$/);
      }),
      { numRuns: 1000 },
    );
  });
});
