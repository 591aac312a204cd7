import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallbackReceiver, startCallbackReceiver } from '../callback-receiver/start-callback-receiver.ts';
import type { LocaltonetAccount } from './localtonet-account.ts';
import { postWebhook } from './post-webhook.ts';
import { startLocaltonetAccount } from './start-localtonet-account.ts';

const token = 'invented-token-of-mac-mini';
const both = { watch: { tokens: true, tunnels: true }, on: 'both' } as const;
const ids = ['101', '102', '103', '104', '105'];
let hooks: CallbackReceiver;
let account: LocaltonetAccount;

async function startFull(seed: number): Promise<LocaltonetAccount> {
  const nowMs = () => Date.UTC(2026, 10, 30, 1, 2, 3, 456);
  const full = await startLocaltonetAccount({ apiKey: 'invented-key', seed, nowMs });
  full.addDevice({ token, name: 'mac-mini' });
  for (const id of ids) full.addTunnel({ id, title: id, url: `https://${id}.example`, deviceToken: token });
  return full;
}

beforeEach(async () => {
  hooks = await startCallbackReceiver();
  hooks.setBehaviour({ kind: 'answer', status: 202, body: '{"repeat":false}' });
  account = await startFull(1);
});
afterEach(() => Promise.all([account.close(), hooks.close()]));

const bodies = (path?: string) =>
  hooks.requests.filter((request) => path === undefined || request.path === path).map((r) => JSON.parse(r.body));
const arrived = () => bodies().map((body) => body.Id);

describe('webhooks', () => {
  it('have the documented shape and return the answers', async () => {
    account.addWebhook({ url: `${hooks.url}/hooks/localtonet/secret`, ...both });
    account.setDelivery({ order: 'given' });
    const answers = await account.deviceGoesOffline('mac-mini');
    expect(answers).toHaveLength(6);
    expect(answers[0]).toMatchObject({
      webhook: 'webhook-1',
      change: { type: 'Token', subject: 'mac-mini', status: 'Disconnected' },
      outcome: 'answered',
      status: 202,
      body: '{"repeat":false}',
      failure: null,
    });
    const [first] = hooks.requests;
    expect(first).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(Object.keys(bodies()[0])).toEqual(['Id', 'ActionDate', 'Type', 'Status']);
    expect(bodies().map((body) => [body.Type, body.Id, body.Status])).toEqual([
      ['Token', token, 'Disconnected'],
      ...ids.map((id) => ['Tunnel', id, 'Disconnected']),
    ]);
    expect(bodies()[0].ActionDate).toMatch(/^2026-11-30T01:02:03\.456\d{4}Z$/);
    expect(new Set(bodies().map((body) => body.ActionDate)).size).toBe(6);
    expect(account.webhookAnswers).toEqual(answers);
  });

  it('tell neither token nor webhook URL in what they return', async () => {
    account.addWebhook({ url: `${hooks.url}/hooks/localtonet/secret`, ...both });
    const answers = JSON.stringify(await account.deviceGoesOffline('mac-mini'));
    expect(answers).not.toContain(token);
    expect(answers).not.toContain('secret');
  });

  it('go where they are registered for the type and the direction', async () => {
    account.addWebhook({ url: `${hooks.url}/tokens`, watch: { tokens: true, tunnels: false }, on: 'both' });
    account.addWebhook({ url: `${hooks.url}/up`, watch: { tokens: true, tunnels: true }, on: 'connects' });
    const down = account.addWebhook({
      url: `${hooks.url}/down`,
      watch: { tokens: false, tunnels: true },
      on: 'disconnects',
    });
    await account.deviceGoesOffline('mac-mini');
    expect([bodies('/tokens').length, bodies('/up').length, bodies('/down').length]).toEqual([1, 0, 5]);
    await account.deviceComesBack('mac-mini');
    expect([bodies('/tokens').length, bodies('/up').length, bodies('/down').length]).toEqual([2, 6, 5]);
    down.remove();
    await account.tunnelDisconnects('101');
    expect(bodies('/down')).toHaveLength(5);
  });

  it('tell only what changed', async () => {
    account.addWebhook({ url: hooks.url, ...both });
    await account.tunnelDisconnects('102');
    expect(await account.tunnelDisconnects('102')).toEqual([]);
    const offline = await account.deviceGoesOffline('mac-mini');
    expect(offline.map((answer) => answer.change.subject)).not.toContain('102');
    expect(await account.deviceGoesOffline('mac-mini')).toEqual([]);
    await expect(account.tunnelConnects('102')).rejects.toMatchObject({ code: 'device_offline' });
    await expect(account.tunnelConnects('999')).rejects.toMatchObject({ code: 'unknown_tunnel' });
    await expect(account.deviceComesBack('nobody')).rejects.toMatchObject({ code: 'unknown_device' });
  });

  it('are sent for API actions too', async () => {
    account.addWebhook({ url: hooks.url, ...both });
    const init = { method: 'POST', headers: { authorization: 'Bearer invented-key' } };
    await fetch(`${account.baseUrl}/tunnels/101/actions/stop`, init);
    await account.settled();
    expect(bodies()).toMatchObject([{ Id: '101', Type: 'Tunnel', Status: 'Disconnected' }]);
    await expect(account.tunnelConnects('101')).rejects.toMatchObject({ code: 'tunnel_not_started' });
  });
});

describe('disturbed webhooks', () => {
  beforeEach(() => {
    account.addWebhook({ url: hooks.url, ...both });
  });

  it('arrive in an order that the seed decides', async () => {
    await account.deviceGoesOffline('mac-mini');
    const order = arrived();
    const run = async (seed: number) => {
      const again = await startFull(seed);
      again.addWebhook({ url: `${hooks.url}/seed-${seed}`, ...both });
      await again.deviceGoesOffline('mac-mini');
      await again.close();
      return bodies(`/seed-${seed}`).map((body) => body.Id);
    };
    expect(await run(1)).toEqual(order);
    expect(await run(2)).not.toEqual(order);
    expect([...order].sort()).toEqual([...ids, token].sort());
  });

  it('arrive as given, reversed, or as a function puts them', async () => {
    account.setDelivery({ order: 'given' });
    await account.deviceGoesOffline('mac-mini');
    expect(arrived()).toEqual([token, ...ids]);
    account.setDelivery({ order: 'reversed' });
    await account.deviceComesBack('mac-mini');
    expect(arrived().slice(6)).toEqual([...ids].reverse().concat(token));
    account.setDelivery({ order: (deliveries) => deliveries.slice(0, 2) });
    expect(await account.deviceGoesOffline('mac-mini')).toHaveLength(2);
  });

  it('are lost when told to be, by number and kind', async () => {
    account.setDelivery({ order: 'given' });
    account.dropNext(2, { Type: 'Tunnel' });
    const answers = await account.deviceGoesOffline('mac-mini');
    expect(answers.map((answer) => answer.outcome)).toEqual([
      'answered',
      'dropped',
      'dropped',
      'answered',
      'answered',
      'answered',
    ]);
    expect(answers[1]).toMatchObject({ status: null, failure: null });
    expect(arrived()).toEqual([token, '103', '104', '105']);
    account.dropNext(Number.POSITIVE_INFINITY);
    await account.deviceComesBack('mac-mini');
    expect(arrived()).toHaveLength(4);
    account.clearDisturbances();
    await account.deviceGoesOffline('mac-mini');
    expect(arrived()).toHaveLength(10);
  });

  it('repeat byte for byte', async () => {
    account.setDelivery({ copies: 3, order: 'given' });
    await account.tunnelDisconnects('101');
    expect(hooks.requests).toHaveLength(3);
    expect(new Set(hooks.requests.map((request) => request.body)).size).toBe(1);
  });

  it('come late, all or some, without holding up the others', async () => {
    account.setDelivery({ order: 'given' });
    account.delayNext(1, 60, { Type: 'Token' });
    const startedAt = performance.now();
    await account.deviceGoesOffline('mac-mini');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
    expect(arrived()).toEqual([...ids, token]);
    account.setDelivery({ delayMs: 30 });
    const backAt = performance.now();
    await account.deviceComesBack('mac-mini');
    expect(performance.now() - backAt).toBeGreaterThanOrEqual(29);
  });

  it('are sent side by side when asked', async () => {
    hooks.setBehaviour({ kind: 'hang' });
    account.setDelivery({ concurrency: 3 });
    const burst = account.deviceGoesOffline('mac-mini');
    await hooks.waitForRequests(3, 5_000);
    expect(hooks.peakInFlight).toBe(3);
    await account.close();
    expect(await burst).toHaveLength(6);
  });

  it('write dates with an offset or without a zone', async () => {
    account.setDelivery({ dateStyle: 'offset' });
    await account.tunnelDisconnects('101');
    account.setDelivery({ dateStyle: 'none' });
    await account.tunnelConnects('101');
    account.setDelivery({ offsetMinutes: -60 });
    await account.tunnelDisconnects('101');
    const [offset, none, shifted] = bodies().map((body) => body.ActionDate);
    expect(offset).toMatch(/^2026-11-30T04:02:03\.\d{7}\+03:00$/);
    expect(none).toMatch(/^2026-11-30T01:02:03\.\d{7}$/);
    expect(shifted).toMatch(/^2026-11-30T00:02:03\.\d{7}$/);
  });

  it('never try again', async () => {
    hooks.setBehaviour({ kind: 'answer', status: 503 });
    expect(await account.tunnelDisconnects('101')).toMatchObject([{ outcome: 'answered', status: 503 }]);
    hooks.setBehaviour({ kind: 'hang' });
    account.setDelivery({ timeoutMs: 30 });
    expect(await account.tunnelConnects('101')).toMatchObject([
      { outcome: 'failed', failure: 'timeout', status: null },
    ]);
    await hooks.stop();
    expect(await account.tunnelDisconnects('101')).toMatchObject([{ outcome: 'failed', failure: 'ECONNREFUSED' }]);
    await hooks.start();
    // The second may have been given up before it arrived; a repeat would be a third.
    expect(hooks.requests.length).toBeLessThanOrEqual(2);
  });

  it('fail as aborted when the account closes', async () => {
    hooks.setBehaviour({ kind: 'hang' });
    account.setDelivery({ delayMs: 60_000 });
    const late = account.tunnelDisconnects('101');
    account.setDelivery({ delayMs: 0 });
    const hung = account.tunnelDisconnects('102');
    await hooks.waitForRequests(1, 5_000);
    await account.close();
    expect([...(await late), ...(await hung)].map((answer) => answer.failure)).toEqual(['aborted', 'aborted']);
  });
});

describe('postWebhook', () => {
  it('sends any body untouched', async () => {
    expect(await postWebhook(`${hooks.url}/x?y=1`, '{"Id":')).toMatchObject({ outcome: 'answered', status: 202 });
    await account.postWebhook(hooks.url, Buffer.from([0, 255]), { contentType: null });
    await postWebhook(hooks.url, { Id: '1' }, { contentType: 'text/plain' });
    expect(hooks.requests.map((request) => request.headers['content-type'])).toEqual([
      'application/json; charset=utf-8',
      undefined,
      'text/plain',
    ]);
    expect(hooks.requests[0]).toMatchObject({ path: '/x?y=1', body: '{"Id":' });
    expect([...(hooks.requests[1]?.rawBody ?? [])]).toEqual([0, 255]);
    expect(hooks.requests[2]?.body).toBe('{"Id":"1"}');
  });

  it('reports a dropped connection and refuses other URLs', async () => {
    hooks.behaveNext({ kind: 'commit_then_drop' });
    expect(await postWebhook(hooks.url, {})).toMatchObject({ outcome: 'failed', failure: 'ECONNRESET' });
    for (const url of ['https://secret.example/hook', 'not a url']) {
      expect(() => account.addWebhook({ url, ...both })).toThrow(/http URLs only/);
      expect(() => postWebhook(url, {})).toThrow('The simulator posts webhooks to http URLs only.');
    }
  });
});
