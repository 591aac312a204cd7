import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { SafeName } from '../model/safe-name.ts';
import type { TimelineEvent } from '../model/timeline-event.ts';
import { describeEvent } from './describe-event.ts';

const name = (text: string) => text as SafeName;
const mac = { alias: 'dev_k3', type: 'device', name: name('mac-mini') } as const;
const web = { alias: 'tun_w7', type: 'tunnel', name: null } as const;

const cases: readonly (readonly [TimelineEvent, string])[] = [
  [{ event: 'subject.changed', subject: mac, status: 'disconnected' }, 'The device "mac-mini" disconnected.'],
  [
    { event: 'subject.suspect', subject: web },
    'The tunnel tun_w7 reported a date that cannot be trusted, so only a verification can clear it.',
  ],
  [
    { event: 'group.blipped', subjects: [mac, web, web, web, web], lastedMs: 7_400 },
    'Disconnected and back within 7 seconds, so nobody was paged: device "mac-mini", tunnel tun_w7, tunnel tun_w7 and 2 more.',
  ],
  [
    { event: 'incident.opened', kind: 'device', group: mac },
    'Opened as a device outage, around the device "mac-mini".',
  ],
  [
    { event: 'incident.reopened', kind: 'flapping', group: web },
    'Reopened as an unstable connection, around the tunnel tun_w7.',
  ],
  [
    { event: 'incident.joined', subject: web, why: 'tunnel_of_down_device' },
    'The tunnel tun_w7 joined, because its device is disconnected.',
  ],
  [
    { event: 'incident.kind_changed', from: 'tunnel', to: 'device' },
    'What looked like a tunnel outage is now a device outage.',
  ],
  [
    { event: 'incident.absorbed', incident: 'inc_a1', why: 'tunnel_of_down_device' },
    'Took over inc_a1, because its device is disconnected.',
  ],
  [
    { event: 'incident.merged', into: 'inc_b2', why: 'same_device' },
    'Merged into inc_b2, because it belongs to the same device.',
  ],
  [{ event: 'incident.acknowledged', by: name('Ada') }, 'Acknowledged by Ada.'],
  [{ event: 'incident.noted', by: name(''), note: name('Power is back') }, 'Note by somebody: Power is back'],
  [
    { event: 'poll.failing', failures: 3 },
    'Localtonet’s API did not answer 3 polls in a row, so nothing is known from it about devices and tunnels.',
  ],
  [{ event: 'poll.answered' }, 'Localtonet’s API answers polls again.'],
  [{ event: 'incident.resolved', webhookMissing: false }, 'Resolved by a passed verification.'],
  [
    { event: 'incident.resolved', webhookMissing: true },
    'Resolved by a passed verification, although the webhook about the reconnect is missing.',
  ],
  [
    { event: 'incident.resolved', webhookMissing: false, by: name('Ada') },
    'Resolved by a passed verification, as Ada asked.',
  ],
  [
    { event: 'incident.overridden', by: name('Ada'), reason: name('planned move') },
    'Ended by hand by Ada, without a verification: planned move',
  ],
  [{ event: 'incident.override_ended', stillDown: false }, 'What was decided by hand counts no longer.'],
  [
    { event: 'incident.override_ended', stillDown: true },
    'What was decided by hand counts no longer, and the connection is still down, so it is told anew.',
  ],
  [
    {
      event: 'incident.opened',
      kind: 'mass',
      group: { type: 'source group', alias: 'home-lab', name: name('home-lab') },
    },
    'Opened as an outage of many devices, around the source group "home-lab".',
  ],
  [
    { event: 'mass.started', devices: 12, known: 20, windowMs: 30_000 },
    '12 of 20 watched devices disconnected within 30 seconds, so they are told as one outage.',
  ],
  [
    { event: 'mass.joined', devices: 1, tunnels: 4 },
    '1 device and 4 tunnels joined, because many devices of its source group were lost at once.',
  ],
  [
    { event: 'mass.absorbed', incidents: 2 },
    'Took over 2 incidents, because many devices of its source group were lost at once.',
  ],
  [{ event: 'mass.regrouped', groups: 1 }, '1 device or tunnel is still down and told apart from now on.'],
  [
    { event: 'group.verified', passes: 1, required: 2 },
    'Localtonet lists everything of this incident as connected (1 of 2 in a row).',
  ],
  [
    { event: 'group.unverified', verdict: 'device_offline' },
    'Localtonet does not list everything as connected: the device is offline.',
  ],
  [
    { event: 'incident.joined', subject: mac, why: 'polled_offline' },
    'The device "mac-mini" joined, because Localtonet lists it as offline, although no webhook said so.',
  ],
  [
    { event: 'flapping.started', transitions: 4, windowMs: 600_000 },
    'The connection changed 4 times in 10 minutes; gates stay held until it settles.',
  ],
  [
    { event: 'flapping.settled', transitions: 1, windowMs: 90_000 },
    'The connection settled (1 change in 90 seconds), so verification decides now.',
  ],
  [
    { event: 'gate.held', service: 'agent', reason: 'disconnected' },
    'The gate of agent was held, because a disconnect was received.',
  ],
  [{ event: 'gate.opened', service: 'agent' }, 'The gate of agent opened after verification.'],
  [
    { event: 'gate.held_by_hand', service: 'agent', by: name('Ada'), reason: name('moving house') },
    'The gate of agent was held by Ada: moving house',
  ],
  [
    { event: 'gate.hand_ended', service: 'agent', by: null },
    'The time was over for which a person had decided about the gate of agent, so it must be verified again.',
  ],
  [
    { event: 'gate.hand_ended', service: 'agent', by: name('Ada') },
    'Ada took back what was decided about the gate of agent, so it must be verified again.',
  ],
  [
    { event: 'gate.forced_open', service: 'agent', by: name('Ada'), reason: name('demo') },
    'The gate of agent was forced open by Ada, without a verification: demo',
  ],
  [
    { event: 'verification.passed', service: 'agent', passes: 1, required: 2 },
    'Verification of agent passed (1 of 2 in a row).',
  ],
  [
    { event: 'verification.failed', service: 'agent', verdict: 'agent_down', firstBroken: 'local_liveness' },
    'Verification of agent failed at the local liveness layer: the agent is down.',
  ],
  [
    { event: 'verification.failed', service: 'agent', verdict: 'inconclusive', firstBroken: null },
    'Verification of agent did not pass: the checks were inconclusive.',
  ],
  [
    { event: 'callbacks.reconciled', service: 'agent', complete: 3, notStarted: 2, ambiguous: 1 },
    'Callbacks of agent were sorted: 3 complete, 2 not started, 1 ambiguous.',
  ],
  [{ event: 'callbacks.released', service: 'agent', sent: 1 }, '1 held callback of agent sent.'],
  [{ event: 'callbacks.need_review', service: 'agent', waiting: 2 }, '2 callbacks of agent need a person to decide.'],
  [{ event: 'notification.sent', channel: 'page', about: 'open' }, 'Told page that the incident was opened.'],
  [
    { event: 'notification.muted', by: 'mira' as SafeName, until: new Date('2026-03-14T15:26:30Z') },
    'Nobody was told, because mira muted it until 2026-03-14 15:26 UTC.',
  ],
  [{ event: 'notification.given_up', channel: 'page', about: 'update' }, 'Gave up telling page what changed.'],
];

describe('describeEvent', () => {
  it.each(cases)('%j', (event, sentence) => {
    expect(describeEvent(event)).toBe(sentence);
  });

  it(verifies('I3', 'shows no alias or incident id that Tidegate did not make'), () => {
    const token = fc.string({ minLength: 10, maxLength: 40, unit: fc.constantFrom(...'QXZ789-') });
    fc.assert(
      fc.property(token, (secret) => {
        const leaky = { alias: secret, type: 'device', name: null } as const;
        const events: TimelineEvent[] = [
          { event: 'subject.changed', subject: leaky, status: 'connected' },
          { event: 'group.blipped', subjects: [leaky], lastedMs: 1 },
          { event: 'incident.opened', kind: 'device', group: leaky },
          { event: 'incident.merged', into: secret, why: 'device_down' },
          { event: 'incident.absorbed', incident: secret, why: 'device_down' },
        ];
        for (const event of events) expect(describeEvent(event)).not.toContain(secret);
      }),
    );
  });
});
