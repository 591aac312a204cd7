import type { Config } from '@tidegate/runtime';
import { type NotificationService, type NotificationServiceKind, startNotificationService } from '@tidegate/simulator';
import {
  askForTest,
  claimNotifications,
  claimRepeats,
  connect,
  finishNotification,
  listChannels,
  listNotifications,
  nextDue,
  type Sql,
} from '@tidegate/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeMessage } from '../../../../test/support/make-message.ts';
import { makeWorkerContext, plainService } from '../../../../test/support/make-worker-context.ts';
import { type PlantedService, plantService } from '../../../../test/support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { until } from '../../../../test/support/until.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import type { WorkerContext } from '../worker-context.ts';
import { createNotifyRoom, type NotifyRoom } from './notify-room.ts';
import { repeatNotification } from './send-notification.ts';

const SECRETS = {
  path: '/services/invented2345',
  routingKey: 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4',
  authorization: 'Bearer invented-proof',
};
/** A retry comes when a test says so, see `hurry`. */
const RETRY = { attempts: 15, baseDelayMs: 60_000, maxDelayMs: 60_000, maxElapsedMs: 21_600_000 };
let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;
let services: NotificationService[];
let lines: Record<string, unknown>[];
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  planted = await plantService(sql, 'agent');
  services = [];
  lines = [];
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  await Promise.all(services.map((service) => service.close()));
  await sql.end();
  await database.drop();
});

type Target = NonNullable<Config['notify']['channels'][number]['target']>;

async function startService(kind: NotificationServiceKind): Promise<{ service: NotificationService; target: Target }> {
  const service = await startNotificationService(kind, SECRETS);
  services.push(service);
  if (kind === 'pagerduty') {
    return { service, target: { type: kind, url: `${service.url}/v2/enqueue`, routingKey: SECRETS.routingKey } };
  }
  if (kind === 'alertmanager') {
    const { authorization } = SECRETS;
    return { service, target: { type: kind, url: service.url, authorization, repeatEveryMs: 200 } };
  }
  return { service, target: { type: 'slack', url: service.url + SECRETS.path } };
}

/** An Alertmanager that is told nothing again unless a test says so. */
const slowly = (target: Target): Target =>
  target.type === 'alertmanager' ? { ...target, repeatEveryMs: 60_000 } : target;

interface Running {
  readonly context: WorkerContext;
  /** Runs the room until nothing is left to do at once. */
  settle(): Promise<void>;
}

async function startRoom(
  targets: Record<string, Target>,
  notify: Partial<Config['notify']> = {},
  configured: Config['services'] = [],
): Promise<Running> {
  const channels = Object.entries(targets).map(([name, target]) => ({ name, type: target.type, target }));
  const everything = {
    channels: channels.map(({ name }) => name),
    severities: ['critical', 'warning', 'info'] as const,
    services: null,
    during: null,
  };
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: null,
    services: configured,
    notify: { channels, routes: [everything], groupUpdatesMs: 0, retry: RETRY, ...notify },
    log: (line) => void lines.push(JSON.parse(line)),
  });
  closing.push(made.close);
  const fail = (error: unknown) => {
    throw error;
  };
  const room: NotifyRoom = createNotifyRoom(made.context, { onFree: () => undefined, onFailure: fail });
  const settle = async () => {
    for (let round = 0; round < 3; round += 1) {
      await room.run();
      await room.idle();
    }
  };
  return { context: made.context, settle };
}

async function open(id = 'inc_a', summary = 'Tunnel 298487 is disconnected; held: agent.'): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`insert into incident (id, kind, group_id, opened_at, summary) values (${id}, 'tunnel', ${planted.tunnelId}, clock_timestamp(), ${summary})`;
    await tx`insert into incident_service (incident_id, service_id) values (${id}, ${planted.serviceId})`;
  });
}
/** Of which there may be many at a time. */
const openMass = (id: string) =>
  sql`insert into incident (id, kind, mass_group, opened_at, summary) values (${id}, 'mass', ${id}, clock_timestamp(), 'Outage.')`;
const resolve = (id = 'inc_a') =>
  sql`update incident set state = 'resolved', resolved_at = clock_timestamp(), resolved_by = 'ver_x' where id = ${id}`;
/** Lets the time pass that a retry or a channel is left alone for. */
async function hurry(): Promise<void> {
  await sql`update notify_channel set paused_until = null`;
  await sql`update notification set due_at = now() where state = 'pending'`;
}
const ledger = async () => {
  const filter = { state: null, channel: null, incident: null, services: null, cursor: null, limit: 100 };
  const { items } = await listNotifications(sql, filter);
  return items.reverse().map(({ channel, kind, state, reason }) => [channel, kind, state, reason].join(' '));
};
const actions = (service: NotificationService) =>
  service.taken.map(({ body }) => (body as { event_action: string }).event_action);
const events = (name: string) => lines.filter(({ event }) => event === name);

describe('the notify room', () => {
  it(verifies('I12.notify', 'tells what opens, changes and ends, each once, and the timeline says so'), async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    await open();
    await settle();
    await sql`update incident set kind = 'device', summary = 'Device x is disconnected; held: agent.' where id = 'inc_a'`;
    await settle();
    await sql`update incident set state = 'acknowledged', acknowledged_at = now(), acknowledged_by = 'ada' where id = 'inc_a'`;
    await settle();
    await resolve();
    await settle();
    expect(actions(service)).toEqual(['trigger', 'trigger', 'acknowledge', 'resolve']);
    expect(await ledger()).toEqual([
      'phone open sent answered',
      'phone update sent answered',
      'phone update sent answered',
      'phone resolve sent answered',
    ]);
    const timeline = await sql<
      { why: string }[]
    >`select why from timeline_entry where event = 'notification.sent' order by id`;
    expect(timeline.map(({ why }) => why)).toEqual([
      'Told phone that the incident was opened.',
      'Told phone what changed.',
      'Told phone what changed.',
      'Told phone that the incident is over.',
    ]);
  });

  it('says the same at a retry, whatever has happened since, and delays no other channel', async () => {
    const phone = await startService('pagerduty');
    const chat = await startService('slack');
    const [first, second] = [
      await startRoom({ phone: phone.target, chat: chat.target }),
      await startRoom({ phone: phone.target, chat: chat.target }),
    ];
    phone.service.failNext('hang');
    phone.service.failNext({ status: 503 });
    await open();
    // The phone hangs for as long as it likes: the chat is told meanwhile.
    const hanging = first.settle();
    await until(
      'the chat is told',
      () => chat.service.taken.length,
      (taken) => taken === 1,
      5000,
    );
    await sql`update incident set summary = 'Something else.' where id = 'inc_a'`;
    await first.context.notifier.close();
    await hanging;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await hurry();
      await second.settle();
    }
    const told = phone.service.requests.map(({ text }) => text);
    expect(told).toHaveLength(4);
    expect(new Set(told.slice(0, 3)).size).toBe(1);
    // What changed meanwhile is told after it, in words of its own.
    expect(told[3]).toContain('Something else.');
    expect(events('notification.retried').filter(({ channel }) => channel === 'phone')).toHaveLength(2);
  });

  it('tells nothing of the end of what could not be delivered', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    await service.stop();
    await open();
    await settle();
    await resolve();
    await service.start();
    await settle();
    expect(service.requests).toEqual([]);
    expect(await ledger()).toEqual(['phone open superseded overtaken']);
  });

  it('is quiet about a member of a mass outage that merged before it was told, and ends the one that was', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    await open('inc_told');
    await settle();
    await sql`insert into incident (id, kind, mass_group, opened_at, summary) values ('inc_mass', 'mass', 'g', clock_timestamp(), 'Outage of 9 devices.')`;
    await sql`update incident set state = 'resolved', resolved_at = now(), merged_into = 'inc_mass' where id = 'inc_told'`;
    await open('inc_quiet');
    await sql`update incident set state = 'resolved', resolved_at = now(), merged_into = 'inc_mass' where id = 'inc_quiet'`;
    await settle();
    const told = service.taken.map(({ body }) => body as { event_action: string; dedup_key: string });
    expect(told.map((event) => [event.event_action, event.dedup_key].join(' ')).sort()).toEqual([
      'resolve tidegate:inc_told',
      'trigger tidegate:inc_mass',
      'trigger tidegate:inc_told',
    ]);
  });

  it('is muted by a silence, and tells what still goes on when that is over', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    await sql`insert into silence (id, scope, target, actor, reason, created_at, expires_at)
              values ('sil_a', 'service', 'agent', 'ada', 'move', now(), now() + interval '1 hour')`;
    await open();
    await settle();
    expect(service.requests).toEqual([]);
    const [notice] = await sql<
      { wait: number }[]
    >`select extract(epoch from due_at - clock_timestamp())::float8 as wait from notice`;
    expect(notice?.wait).toBeGreaterThan(0);
    expect(notice?.wait).toBeLessThanOrEqual(15);
    await sql`update silence set ended_at = now()`;
    await sql`update notice set due_at = now()`;
    await settle();
    expect(actions(service)).toEqual(['trigger']);
  });

  it('tells of callbacks that need a person, of more of them, and when none is left', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    const plant = (id: string) =>
      sql`insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
            sealed_idempotency_key, created_at)
          values (${id}, ${planted.serviceId}, ${Buffer.from(id)}, 'p', 'needs_review', 'POST', 'https://r.example', 'unsafe', 'forbidden', 's', 's', 's', now())`;
    await plant('cb_1');
    await settle();
    await sql`update callback set state = 'failed' where id = 'cb_1'`;
    await plant('cb_2');
    await settle();
    await plant('cb_3');
    await settle();
    await sql`update callback set state = 'delivered'`;
    await settle();
    await plant('cb_4');
    await settle();
    expect(await ledger()).toEqual([
      'phone needs_review sent answered',
      'phone update sent answered',
      'phone resolve sent answered',
      'phone needs_review sent answered',
    ]);
    const keys = service.taken.map(({ body }) => (body as { dedup_key: string }).dedup_key);
    expect(new Set(keys)).toEqual(new Set([`tidegate:rev_${planted.serviceId}`]));
  });

  it(verifies('I9', 'gives up within its bounds, counted in Postgres, and shows it'), async () => {
    const { service, target } = await startService('pagerduty');
    const retry = { ...RETRY, attempts: 3 };
    const { context, settle } = await startRoom({ phone: target }, { retry });
    service.failNext({ status: 503 }, 10);
    await open();
    await until(
      'it is given up',
      async () => {
        await settle();
        await hurry();
        return ledger();
      },
      ([row]) => row?.includes('failed') ?? false,
    );
    expect(service.requests).toHaveLength(3);
    expect(events('notification.given_up')).toMatchObject([
      { level: 'warn', channel: 'phone', kind: 'open', reason: 'server_error' },
    ]);
    expect(await context.metrics.text()).toMatch(/tidegate_notify_attempts_total\{.*outcome="failed".*\} 1/);
    expect(await listChannels(sql)).toMatchObject([
      { name: 'phone', failures: 3, givenUp: 1, waiting: 0, lastStatus: 503 },
    ]);
    const [entry] = await sql<{ why: string }[]>`select why from timeline_entry where event = 'notification.given_up'`;
    expect(entry?.why).toBe('Gave up telling phone that the incident was opened.');
  });

  it('tells what was given up, beginning or end, once the channel works again, and does not let the rest wait', async () => {
    const { service, target } = await startService('pagerduty');
    const retry = { ...RETRY, attempts: 2 };
    const { settle } = await startRoom({ phone: target }, { retry });
    await open('inc_ended');
    await settle();
    service.failNext({ status: 401 }, 4);
    await openMass('inc_lost');
    await resolve('inc_ended');
    await settle();
    await hurry();
    await settle();
    expect((await ledger()).filter((row) => row.includes('failed'))).toHaveLength(2);
    // The first that is tried fails and has a minute to wait; the second gets through.
    service.failNext({ status: 503 });
    await openMass('inc_waiting');
    await settle();
    await sql`update notify_channel set paused_until = null`;
    await openMass('inc_through');
    await settle();
    const told = service.taken.map(({ body }) => body as { event_action: string; dedup_key: string });
    expect(told.map((event) => [event.event_action, event.dedup_key].join(' ')).sort()).toEqual([
      'resolve tidegate:inc_ended',
      'trigger tidegate:inc_ended',
      'trigger tidegate:inc_lost',
      'trigger tidegate:inc_through',
      'trigger tidegate:inc_waiting',
    ]);
  });

  it('tells no end of what was on its way when it ended, and did not arrive after all', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    service.failNext({ status: 503 });
    await open();
    await settle();
    await hurry();
    const [inHand] = await claimNotifications(sql, new Map([['phone', 1]]), 60_000);
    await resolve();
    await settle();
    await finishNotification(sql, inHand!, {
      kind: 'retry',
      status: null,
      reason: 'refused',
      pauseMs: null,
      reached: false,
      delayMs: 60_000,
    });
    await settle();
    expect(service.taken).toEqual([]);
    expect(await ledger()).toEqual(['phone open superseded refused', 'phone resolve superseded overtaken']);
  });

  it('tries a test once, for whoever asked for it, also while the channel is left alone', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    service.failNext({ status: 403 }, 2);
    await open();
    await settle();
    await askForTest(sql, {
      id: 'ntf_test',
      channel: 'phone',
      message: makeMessage({ kind: 'test', thread: 'test_a' }),
    });
    await settle();
    expect(await ledger()).toEqual(['phone open pending unauthorized', 'phone test failed unauthorized']);
    await askForTest(sql, {
      id: 'ntf_again',
      channel: 'phone',
      message: makeMessage({ kind: 'test', thread: 'test_b' }),
    });
    await settle();
    await sql`update notify_channel set paused_until = null`;
    await settle();
    expect(await ledger()).toEqual([
      'phone open sent answered',
      'phone test failed unauthorized',
      'phone test sent answered',
    ]);
  });

  it('says of something critical that no route tells anybody, by the severity of its services', async () => {
    const { service, target } = await startService('pagerduty');
    const critical = { channels: ['phone'], severities: ['critical'] as const, services: null, during: null };
    const mild = { ...plainService('agent', null, '298487'), severity: 'warning' as const };
    const other = { ...critical, services: ['other'] };
    const first = await startRoom({ phone: target }, { routes: [critical] }, [mild]);
    await open();
    await first.settle();
    const second = await startRoom({ phone: target }, { routes: [other] });
    await second.settle();
    expect(service.requests).toEqual([]);
    expect(events('notification.unrouted')).toMatchObject([
      { level: 'info', incident: 'inc_a', severity: 'warning' },
      { level: 'warn', incident: 'inc_a', severity: 'critical' },
    ]);
    expect(await second.context.metrics.text()).toMatch(/tidegate_notify_unrouted_total\{.*\} 1/);
  });

  it('leaves a channel alone for as long as it asks', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    service.failNext({ status: 429, headers: { 'retry-after': '30' } });
    await open('inc_a');
    await settle();
    await resolve('inc_a');
    await open('inc_b');
    await settle();
    expect(service.requests).toHaveLength(1);
    const [channel] = await listChannels(sql);
    const waitMs = (channel?.pausedUntil?.getTime() ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(20_000);
    expect(waitMs).toBeLessThanOrEqual(31_000);
  });

  it('repeats to Alertmanager what is open, and stops when it ends', async () => {
    const { service, target } = await startService('alertmanager');
    const { settle } = await startRoom({ alerts: target });
    await open();
    await until(
      'three repeats',
      async () => {
        await settle();
        return service.taken.length;
      },
      (taken) => taken >= 4,
    );
    await resolve();
    await settle();
    const before = service.taken.length;
    type Alert = { labels: object; startsAt: string; endsAt: string };
    const alerts = service.taken.map(({ body }) => (body as Alert[])[0]);
    expect(new Set(alerts.map((alert) => JSON.stringify([alert?.labels, alert?.startsAt]))).size).toBe(1);
    expect(Date.parse(alerts.at(-1)?.endsAt ?? '')).toBeLessThanOrEqual(Date.now());
    const [row] = await sql<{ repeats: number }[]>`select count(repeat_at)::int as repeats from notification`;
    expect(row?.repeats).toBe(0);
    await settle();
    expect(service.taken).toHaveLength(before);
  });

  it('repeats to Alertmanager what it knows, also while news of it do not get through', async () => {
    const { service, target } = await startService('alertmanager');
    const { settle } = await startRoom({ alerts: slowly(target) }, { retry: { ...RETRY, attempts: 1 } });
    await open();
    await settle();
    service.failNext({ status: 400 });
    await sql`update incident set kind = 'flapping', summary = 'Tunnel x is flapping; held: agent.' where id = 'inc_a'`;
    await settle();
    expect(await ledger()).toEqual(['alerts open sent answered', 'alerts update failed rejected']);
    // The repeat that gets through shows that the channel works again, so the news are told after it.
    await sql`update notification set repeat_at = now() where repeat_at is not null`;
    await settle();
    expect((await ledger()).slice(2)).toEqual(['alerts update sent answered']);
    expect(service.taken.map(({ text }) => text.includes('flapping'))).toEqual([false, false, true]);
  });

  it('opens nothing again by a repeat that the end overtook', async () => {
    const { service, target } = await startService('alertmanager');
    const { context, settle } = await startRoom({ alerts: slowly(target) });
    await open();
    await settle();
    await sql`update notification set repeat_at = now()`;
    const [inHand] = await claimRepeats(sql, { channel: 'alerts', everyMs: 60_000, limit: 1 });
    await resolve();
    await settle();
    await repeatNotification(context, inHand!);
    const ends = service.taken.map(({ body }) => Date.parse((body as { endsAt: string }[])[0]?.endsAt ?? ''));
    expect(ends.at(-2)).toBeGreaterThan(Date.now());
    expect(ends.at(-1)).toBeLessThanOrEqual(Date.now());
  });

  it('is not late with what waits behind another, or for a channel that is left alone', async () => {
    const { service, target } = await startService('pagerduty');
    const { settle } = await startRoom({ phone: target });
    service.failNext({ status: 429, headers: { 'retry-after': '300' } }, 2);
    await openMass('inc_first');
    await settle();
    await openMass('inc_second');
    await settle();
    const { now, notify } = await nextDue(sql);
    expect((notify?.getTime() ?? 0) - now.getTime()).toBeGreaterThan(200_000);
    await sql`update notify_channel set paused_until = null`;
    await settle();
    const later = await nextDue(sql);
    expect((later.notify?.getTime() ?? 0) - later.now.getTime()).toBeGreaterThan(200_000);
    await askForTest(sql, {
      id: 'ntf_test',
      channel: 'phone',
      message: makeMessage({ kind: 'test', thread: 'test_a' }),
    });
    const asked = await nextDue(sql);
    expect(asked.notify?.getTime()).toBeLessThanOrEqual(asked.now.getTime());
  });

  it('tells a channel that came back what was given up because it was gone', async () => {
    const { service, target } = await startService('pagerduty');
    const first = await startRoom({ phone: target });
    await service.stop();
    await open();
    await first.settle();
    await (await startRoom({})).settle();
    await service.start();
    await (await startRoom({ phone: target })).settle();
    expect(await ledger()).toEqual(['phone open failed channel_removed', 'phone open sent answered']);
  });

  it('gives up what waits for a channel that is gone, and tells a new one what goes on', async () => {
    const { service, target } = await startService('pagerduty');
    const chat = await startService('slack');
    const first = await startRoom({ phone: target });
    await service.stop();
    await open();
    await first.settle();
    const second = await startRoom({ chat: chat.target });
    await second.settle();
    expect(await ledger()).toEqual(['phone open failed channel_removed', 'chat open sent answered']);
    expect(chat.service.taken).toHaveLength(1);
    expect(events('notification.dropped')).toMatchObject([{ count: 1 }]);
  });

  it(verifies('I12', 'I12.notify', 'tells everything once, however many workers look at the same time'), async () => {
    const { service, target } = await startService('pagerduty');
    const rooms = await Promise.all([1, 2, 3].map(() => startRoom({ phone: target })));
    const ids = Array.from({ length: 30 }, (_, index) => `inc_${index}`);
    for (const id of ids) await openMass(id);
    await Promise.all(rooms.map(({ settle }) => settle()));
    for (const { settle } of rooms) await settle();
    const keys = service.taken.map(({ body }) => (body as { dedup_key: string }).dedup_key);
    expect(keys.sort()).toEqual(ids.map((id) => `tidegate:${id}`).sort());
  });

  it(
    verifies('I12', 'I12.notify', 'sends again, under the same id, what a worker had in hand when it died'),
    async () => {
      const { service, target } = await startService('pagerduty');
      const { settle } = await startRoom({ phone: target });
      await open();
      service.failNext({ status: 503 });
      await settle();
      await hurry();
      // As a kill between the claim and the answer leaves it.
      expect(await claimNotifications(sql, new Map([['phone', 1]]), 1)).toHaveLength(1);
      await settle();
      expect(service.taken).toHaveLength(1);
      expect(new Set(service.requests.map(({ text }) => text)).size).toBe(1);
    },
  );
});
