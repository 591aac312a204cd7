import { createAddressGuard, createNotifier, type Notifier, type NotifyTarget } from '@tidegate/outbound';
import { type NotificationService, type NotificationServiceKind, startNotificationService } from '@tidegate/simulator';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeMessage } from '../support/make-message.ts';
import { verifies } from '../support/verifies.ts';

const SECRETS = {
  path: '/services/T0/B0/inventedpath2345',
  routingKey: 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4',
  signingSecret: `whsec_${Buffer.from('an invented signing key!').toString('base64')}`,
  topic: 'invented-topic-7',
  token: 'tk_inventedtoken234567',
  authorization: 'Bearer invented-alertmanager-proof',
};
const MARKED_UP = 'in*vent_ed&<7';
const KINDS: readonly NotificationServiceKind[] = ['webhook', 'slack', 'discord', 'pagerduty', 'alertmanager', 'ntfy'];
const REPEAT_MS = 60_000;

let service: NotificationService;
let notifier: Notifier;
beforeEach(() => {
  const guard = createAddressGuard({ allowPrivate: ['127.0.0.1/32'], denied: [] });
  notifier = createNotifier({ guard, secrets: ['invented-device-token-9', MARKED_UP, ...Object.values(SECRETS)] });
});
afterEach(async () => {
  await notifier.close();
  await service.close();
});

function targetOf({ kind, url }: NotificationService): NotifyTarget {
  switch (kind) {
    case 'webhook':
      return { type: kind, url: url + SECRETS.path, signingSecret: SECRETS.signingSecret };
    case 'slack':
    case 'discord':
      return { type: kind, url: url + SECRETS.path };
    case 'pagerduty':
      return { type: kind, url: `${url}/v2/enqueue`, routingKey: SECRETS.routingKey };
    case 'alertmanager':
      return { type: kind, url, authorization: SECRETS.authorization, repeatEveryMs: REPEAT_MS };
    case 'ntfy':
      return { type: kind, url, topic: SECRETS.topic, token: SECRETS.token };
  }
}

const start = async (kind: NotificationServiceKind) => {
  service = await startNotificationService(kind, SECRETS);
  return service;
};
const send = (message = makeMessage(), id = 'ntf_a', timeoutMs = 5000) =>
  notifier.send(targetOf(service), { id, message }, { timeoutMs });
const bodies = () => service.requests.map(({ body }) => body as Record<string, never>);

describe.each(KINDS)('%s', (kind) => {
  beforeEach(async () => {
    await start(kind);
  });

  it('takes every kind of notification', async () => {
    for (const message of [
      makeMessage(),
      makeMessage({ kind: 'update', acknowledged: true }),
      makeMessage({ kind: 'resolve', endedAt: '2026-11-30T03:30:00.000Z' }),
      makeMessage({ kind: 'needs_review', thread: 'rev_7', severity: 'warning' }),
      makeMessage({ kind: 'test', thread: 'test_abc', group: 'tidegate', services: [], link: null, severity: 'info' }),
    ]) {
      expect(await send(message)).toMatchObject({ result: 'delivered', scrubbed: 0 });
    }
    expect(service.taken).toHaveLength(5);
  });

  it('takes any text, however long or odd', async () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
    const text = fc.oneof(
      word,
      fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
      fc.constant('é'.repeat(9000)),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 12 }), async (title, lines) => {
        const message = makeMessage({ title: `x ${title}`, lines: ['x', ...lines] });
        expect(await send(message)).toMatchObject({ result: 'delivered' });
      }),
      { numRuns: 60 },
    );
  });

  it('is asked again later when it says 429, in seconds or by a date, or is broken', async () => {
    service.failNext({ status: 429, headers: { 'retry-after': '7' } });
    expect(await send()).toMatchObject({
      result: 'retry',
      reached: false,
      retryAfterMs: 7000,
      status: 429,
      reason: 'rate_limited',
    });
    const [now, later] = [Date.now(), Date.now() + 90_000].map((at) => new Date(at).toUTCString());
    service.failNext({ status: 429, headers: { 'retry-after': later ?? '', date: now ?? '' } });
    expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: 90_000 });
    // Who asks to be left alone for a day is asked again before the night is over.
    service.failNext({ status: 429, headers: { 'retry-after': '86400' } });
    expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: 900_000 });
    service.failNext({ status: 503 });
    expect(await send()).toMatchObject({ result: 'retry', reached: false, reason: 'server_error' });
    service.failNext({ status: 500 });
    expect(await send()).toMatchObject({ result: 'retry', reached: true });
    service.failNext('reset');
    expect(await send()).toMatchObject({ result: 'retry', reached: true, status: null });
    service.failNext('hang');
    expect(await send(makeMessage(), 'ntf_a', 200)).toMatchObject({
      result: 'retry',
      reached: true,
      reason: 'timeout',
    });
    await service.stop();
    expect(await send()).toMatchObject({ result: 'retry', reached: false, reason: 'refused' });
    await service.start();
    expect(await send()).toMatchObject({ result: 'delivered' });
  });

  it('is not asked again when it finds fault with the words', async () => {
    for (const status of [400, 413, 415, 422]) {
      service.failNext({ status });
      expect(await send()).toMatchObject({ result: 'refused', status, reason: 'rejected' });
    }
  });

  it('is asked again when it does not know us or the path, which a person mends, and is followed nowhere', async () => {
    for (const [status, reason] of [
      [401, 'unauthorized'],
      [403, 'unauthorized'],
      [404, 'gone'],
      [405, 'rejected'],
      [408, 'server_error'],
      [410, 'gone'],
      [425, 'server_error'],
    ] as const) {
      service.failNext({ status });
      expect(await send()).toMatchObject({ result: 'retry', reached: status === 408, status, reason });
    }
    const before = service.requests.length;
    service.failNext({ status: 307, headers: { location: `${service.url}/elsewhere` } });
    expect(await send()).toMatchObject({ result: 'retry', reached: false, reason: 'redirected' });
    expect(service.requests).toHaveLength(before + 1);
  });

  it(verifies('I3', 'I3.notify', 'is told no secret, not even its own, whatever got into the words'), async () => {
    const { path, routingKey, signingSecret, topic, token } = SECRETS;
    const leaks = [
      'invented-device-token-9',
      `tdg_${'a2b3c4d5'.repeat(5)}`,
      `/hooks/localtonet/${'x'.repeat(20)}`,
      'Bearer abcdef123',
      path,
      routingKey,
      signingSecret,
      topic,
      token,
      MARKED_UP,
    ];
    // As a person reads it: what a service's markup needs escaped is the same secret.
    const content = (text: string) =>
      text
        .replace(`"routing_key":"${routingKey}"`, '')
        .replace(`"topic":"${topic}"`, '')
        .replaceAll('\\', '')
        .replaceAll('&amp;', '&')
        .replaceAll('&lt;', '<');
    for (const leak of leaks) {
      const message = makeMessage({ title: `Device offline: ${leak}`, lines: [`Look at ${leak} now`] });
      const outcome = await send(message);
      expect(outcome.scrubbed).toBeGreaterThan(0);
      expect(content(service.requests.at(-1)?.text ?? leak)).not.toContain(leak);
    }
  });
});

describe('what each of them knows a repeat or an end by', () => {
  const life = [
    makeMessage(),
    makeMessage({ kind: 'update', severity: 'warning', title: 'Update: Unstable connection: mac-mini' }),
    makeMessage({ kind: 'update', acknowledged: true }),
    makeMessage({ kind: 'resolve', endedAt: '2026-11-30T03:30:00.000Z' }),
  ];

  it('PagerDuty: one dedup_key; trigger, acknowledge, resolve', async () => {
    await start('pagerduty');
    for (const message of life) await send(message);
    expect(new Set(bodies().map(({ dedup_key: key }) => key))).toEqual(new Set(['tidegate:inc_4cfq0zt1v8m2']));
    expect(bodies().map(({ event_action: action }) => action)).toEqual([
      'trigger',
      'trigger',
      'acknowledge',
      'resolve',
    ]);
    service.failNext({ status: 429 });
    expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: 120_000 });
  });

  it('PagerDuty: a wrong key, which is a 400 too, is mended by a person', async () => {
    await start('pagerduty');
    const target = { type: 'pagerduty', url: `${service.url}/v2/enqueue`, routingKey: '0'.repeat(32) } as const;
    const outcome = await notifier.send(target, { id: 'ntf_a', message: makeMessage() }, { timeoutMs: 1000 });
    expect(outcome).toMatchObject({ result: 'retry', reached: false, status: 400, reason: 'unauthorized' });
  });

  it('PagerDuty: an answer that is not 202 is none', async () => {
    await start('pagerduty');
    service.failNext({ status: 200, body: '<html>log in</html>' });
    expect(await send()).toMatchObject({ result: 'retry', reason: 'unexpected_status' });
  });

  it('Alertmanager: the same labels to the end; lives four repeats, then ends by endsAt', async () => {
    await start('alertmanager');
    for (const message of life) await send(message);
    type Alert = { labels: object; startsAt: string; endsAt: string };
    const alerts = service.requests.map(({ body }) => (body as Alert[])[0]);
    expect(new Set(alerts.map((alert) => JSON.stringify(alert?.labels)))).toEqual(
      new Set([
        JSON.stringify({
          alertname: 'TidegateIncident',
          thread: 'inc_4cfq0zt1v8m2',
          severity: 'critical',
          group: 'dev_abcdefgh23456777',
        }),
      ]),
    );
    expect(new Set(alerts.map((alert) => alert?.startsAt))).toEqual(new Set(['2026-11-30T03:12:00.000Z']));
    const livesMs = Date.parse(alerts[0]?.endsAt ?? '') - Date.now();
    expect(livesMs).toBeGreaterThan(4 * REPEAT_MS - 10_000);
    expect(livesMs).toBeLessThanOrEqual(4 * REPEAT_MS);
    expect(alerts.at(-1)?.endsAt).toBe('2026-11-30T03:30:00.000Z');
  });

  it('a webhook: the id of the notification, at every attempt', async () => {
    await start('webhook');
    service.failNext('reset');
    await send(makeMessage(), 'ntf_same');
    await send(makeMessage(), 'ntf_same');
    expect(service.requests.map(({ headers }) => headers['webhook-id'])).toEqual(['ntf_same', 'ntf_same']);
    expect(new Set(service.requests.map(({ text }) => text)).size).toBe(1);
    expect(bodies()[0]).toMatchObject({ type: 'incident.opened', data: { thread: 'inc_4cfq0zt1v8m2' } });
  });

  it('a webhook whose secret cannot be used is refused before anything is sent', async () => {
    await start('webhook');
    const target = { type: 'webhook', url: service.url, signingSecret: '' } as const;
    const outcome = await notifier.send(target, { id: 'ntf_a', message: makeMessage() }, { timeoutMs: 1000 });
    expect(outcome).toMatchObject({ result: 'refused', reason: 'secret_unusable' });
    expect(service.requests).toEqual([]);
  });

  it('ntfy: one sequence, a title in the body and no header of ours', async () => {
    await start('ntfy');
    await send(makeMessage({ title: 'x\r\nx-evil: 1' }));
    expect(bodies()[0]).toMatchObject({ sequence_id: 'inc_4cfq0zt1v8m2', priority: 5, tags: ['rotating_light'] });
    expect(service.requests[0]?.headers['x-evil']).toBeUndefined();
    expect(Object.keys(service.requests[0]?.headers ?? {})).not.toContain('title');
  });

  it('Discord: waits as its body says, and can mention nobody', async () => {
    await start('discord');
    service.failNext({
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
      body: JSON.stringify({ message: 'You are being rate limited.', retry_after: 64.57, global: false }),
    });
    expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: 64_570 });
    await send(makeMessage({ title: '@everyone <@&1>' }));
    expect(bodies()[1]).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it('Slack: mentions nobody either', async () => {
    await start('slack');
    await send(makeMessage({ title: '<!channel> down', lines: ['<!here> & <@U1>'] }));
    const { text, blocks } = bodies()[0] as unknown as { text: string; blocks: { text: { text: string } }[] };
    expect(text).toContain('&lt;!channel&gt;');
    expect(blocks[1]?.text.text).toContain('&lt;!here&gt; &amp; &lt;@U1&gt;');
    // What knows no blocks, such as Mattermost, shows the text alone.
    expect(text.split('\n').slice(1).join('\n')).toBe(blocks[1]?.text.text);
  });
});

it(verifies('I3', 'a private address is dialled only where the config names it'), async () => {
  await start('slack');
  const strict = createNotifier({ guard: createAddressGuard({ allowPrivate: [], denied: [] }), secrets: [] });
  const outcome = await strict.send(targetOf(service), { id: 'ntf_a', message: makeMessage() }, { timeoutMs: 1000 });
  expect(outcome).toMatchObject({ result: 'retry', reached: false, reason: 'address_denied' });
  expect(service.requests).toEqual([]);
  await strict.close();
});
