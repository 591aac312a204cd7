import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Incident, IncidentDetail } from '@tidegate/client';
import {
  type NotificationService,
  postWebhook,
  startNotificationService,
  startWorld,
  type World,
} from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const OUTAGES = 30;
const KILLS = 4;
/** Every third of them. */
const POSTGRES_EACH = 3;
const ROUTING_KEY = 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4';
/** An attempt that a killed worker had in hand is taken up when its lease is over. */
const PATIENCE_MS = 90_000;

let world: World;
let pager: NotificationService;
let chat: NotificationService;
let stack: Stack;
let killing: ReturnType<typeof startKilling>;

beforeAll(async () => {
  world = await startWorld();
  pager = await startNotificationService('pagerduty', { routingKey: ROUTING_KEY });
  chat = await startNotificationService('slack', { path: '/services/invented' });
  const notify = {
    allowPrivate: ['127.0.0.1/32'],
    retry: { baseDelay: '100ms', maxDelay: '1s' },
    channels: {
      pager: { type: 'pagerduty', url: `${pager.url}/v2/enqueue`, routingKey: ROUTING_KEY },
      chat: { type: 'slack', url: `${chat.url}/services/invented` },
    },
  };
  stack = await startStack({
    config: stackConfig(world, { source: { watch: 'all' }, sections: { notify, localtonet: undefined } }),
    provokes: tellsOfLostDatabase,
  });
});
afterAll(async () => {
  await killing?.stop();
  await stack?.close();
  await Promise.all([world?.close(), pager?.close(), chat?.close()]);
});

/** Kills the worker again and again, and now and then Postgres, at random moments, however often they come back. */
function startKilling() {
  const ending = new AbortController();
  let killed = 0;
  const ended = (async () => {
    const dead = new Set<number>();
    while (!ending.signal.aborted) {
      const { worker, postgres } = stack.ready().pids;
      const victim = killed % POSTGRES_EACH === POSTGRES_EACH - 1 ? postgres : worker;
      const isBack = victim !== null && !dead.has(victim);
      // Sometimes before it has done anything, sometimes in the midst of it.
      await delay(isBack ? randomInt(50, 3000) : 50, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted || !isBack) continue;
      try {
        process.kill(victim, 'SIGKILL');
        dead.add(victim);
        killed += 1;
      } catch {
        // It ended by itself, and is about to come back.
      }
    }
  })();
  return {
    killed: () => killed,
    stop: async () => {
      ending.abort();
      await ended;
    },
  };
}

interface PagerEvent {
  readonly event_action: string;
  readonly dedup_key: string;
  readonly payload: { readonly summary: string };
}

const eventsOf = (incident: string) =>
  pager.taken.map(({ body }) => body as PagerEvent).filter((event) => event.dedup_key === `tidegate:${incident}`);
const incidents = async () => (await stack.get<{ items: Incident[] }>('/v1/incidents?limit=500')).items;

describe('a worker or a Postgres that is killed at random moments', () => {
  let ids: string[];

  it(verifies('I12', 'I12.notify', 'loses no page: each of many incidents is paged, in one voice'), async () => {
    const url = stack.ready().sources[0]?.webhookUrl ?? '';
    pager.failNext('hang', 3);
    pager.failNext({ status: 503 }, 5);
    killing = startKilling();
    for (let number = 0; number < OUTAGES; number += 1) {
      const body = {
        Id: String(3_000_000 + number),
        Type: 'Tunnel',
        Status: 'Disconnected',
        ActionDate: new Date().toISOString(),
      };
      // As Localtonet does: again until it is taken.
      await until(
        'the delivery is taken',
        () => postWebhook(url, body),
        (answer) => answer.outcome === 'answered' && answer.status === 202,
        PATIENCE_MS,
      );
      await delay(randomInt(50, 400));
    }
    await until('enough kills', killing.killed, (killed) => killed >= KILLS, PATIENCE_MS);
    await killing.stop();
    const opened = await until('every incident', incidents, (items) => items.length >= OUTAGES, PATIENCE_MS);
    ids = opened.map(({ id }) => id);
    await until(
      'every page',
      () => ids.filter((id) => eventsOf(id).length === 0),
      (left) => left.length === 0,
      PATIENCE_MS,
    );
    for (const id of ids) {
      const events = eventsOf(id);
      expect(new Set(events.map((event) => event.event_action))).toEqual(new Set(['trigger']));
      // Sent again or not, the words of one notification are frozen.
      expect(new Set(events.map(({ payload }) => payload.summary)).size).toBe(1);
    }
  });

  it(verifies('I12', 'I12.notify', 'nor the end of any, also while a channel is down'), async () => {
    await chat.stop();
    killing = startKilling();
    for (const id of ids) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ override: { reason: 'planned', for: '2h' } });
      await until(
        'the end by hand',
        () => stack.call(`/v1/incidents/${id}/resolve`, { method: 'POST', headers, body }),
        ({ status }) => status === 200,
      );
    }
    await until('enough kills', killing.killed, (killed) => killed >= KILLS, PATIENCE_MS);
    await killing.stop();
    await until(
      'every end',
      () => ids.filter((id) => eventsOf(id).at(-1)?.event_action !== 'resolve'),
      (left) => left.length === 0,
      PATIENCE_MS,
    );
    await chat.start();
    const waiting = () => stack.get<{ items: object[] }>('/v1/notifications?state=pending&limit=500');
    await until('the chat is told too', waiting, ({ items }) => items.length === 0, PATIENCE_MS);
  });

  it('the ledger intends each notification once', async () => {
    const { items } = await stack.get<{ items: { incident: string; channel: string; kind: string; state: string }[] }>(
      '/v1/notifications?channel=pager&limit=500',
    );
    const intended = items.filter(({ kind }) => kind !== 'update').map(({ incident, kind }) => `${incident} ${kind}`);
    expect(new Set(intended).size).toBe(intended.length);
    expect(intended).toHaveLength(2 * OUTAGES);
    expect(items.filter(({ state }) => state === 'failed')).toEqual([]);
    const detail = await stack.get<IncidentDetail>(`/v1/incidents/${ids[0]}`);
    expect(detail.timeline.map(({ why }) => why)).toContain('Told pager that the incident was opened.');
  });
});
