import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgent } from '../agent/start-agent.ts';
import { startTunnel } from '../tunnel/start-tunnel.ts';
import type { LocaltonetAccount } from './localtonet-account.ts';
import { startLocaltonetAccount } from './start-localtonet-account.ts';

const token = 'invented/token+with=signs';
const inUrl = encodeURIComponent(token);
let account: LocaltonetAccount;
beforeEach(async () => {
  account = await startLocaltonetAccount({ apiKey: 'invented-key' });
  account.addDevice({ token, name: 'mac-mini' });
  account.addDevice({ token: 'other-token', name: 'nas', online: false });
  account.addTunnel({ id: '298487', title: 'web', url: 'https://abc.tunnels.example', deviceToken: token });
  account.addTunnel({ id: '11', title: 'nas', url: 'https://nas.tunnels.example', deviceToken: 'other-token' });
});
afterEach(() => account.close());

// A pooled connection could be one that a stop has just closed, so every call dials anew.
const auth = { authorization: 'Bearer invented-key', connection: 'close' };
const call = (path: string, init: RequestInit = {}) => fetch(account.baseUrl + path, { headers: auth, ...init });
const read = async (path: string) => (await call(path)).json();
const post = async (path: string) => (await call(path, { method: 'POST' })).status;

const macMini = { token, name: 'mac-mini', clientIsOnline: true };
const web = {
  id: 298487,
  title: 'web',
  url: 'https://abc.tunnels.example',
  status: 1,
  connectionStatus: true,
  protocolType: 'http',
  clientPort: 9000,
  serverDomain: 'abc.tunnels.example',
  serverIp: '203.0.113.7',
  serverPort: 443,
};

describe('API v2', () => {
  it('lists devices and tunnels, one or all', async () => {
    expect(await read('/auth-tokens')).toEqual([macMini, { token: 'other-token', name: 'nas', clientIsOnline: false }]);
    expect(await read(`/auth-tokens/${inUrl}`)).toEqual(macMini);
    expect(await read(`/auth-tokens/${inUrl}/tunnels`)).toEqual([web]);
    expect(await read('/tunnels')).toMatchObject([web, { id: 11, status: 1, connectionStatus: false }]);
    expect(await read('/tunnels/298487')).toEqual(web);
  });

  it('answers 401 without the key, 404 for what it does not have, 400 for no number', async () => {
    for (const authorization of [undefined, 'Bearer wrong', 'invented-key']) {
      const answer = await call('/tunnels', { headers: authorization === undefined ? {} : { authorization } });
      expect([answer.status, await answer.text()]).toEqual([401, '']);
    }
    for (const path of ['/auth-tokens/x', '/auth-tokens/x/tunnels', '/tunnels/999', '/elsewhere']) {
      expect((await call(path)).status).toBe(404);
    }
    expect(await post('/tunnels/999/actions/start')).toBe(404);
    const bad = await call('/tunnels/abc');
    expect([bad.status, await bad.json()]).toMatchObject([400, { errors: { tunnelId: ['Not a number.'] } }]);
  });

  it('stops and starts a tunnel', async () => {
    expect(await post('/tunnels/298487/actions/stop')).toBe(204);
    expect(await read('/tunnels/298487')).toMatchObject({ status: 0, connectionStatus: false });
    expect(await post('/tunnels/298487/actions/start')).toBe(204);
    expect(await read('/tunnels/298487')).toMatchObject({ status: 1, connectionStatus: true });
    await post('/tunnels/11/actions/stop');
    await post('/tunnels/11/actions/start');
    expect(await read('/tunnels/11')).toMatchObject({ status: 1, connectionStatus: false });
  });

  it('counts requests per endpoint without a token in its log', async () => {
    await read('/tunnels');
    await read('/tunnels');
    await read(`/auth-tokens/${inUrl}`);
    await call('/auth-tokens/unknown-token', { headers: {} });
    expect(account.counts()).toEqual({ 'GET /tunnels': 2, 'GET /auth-tokens/{token}': 2 });
    expect(account.count('GET /tunnels')).toBe(2);
    expect(account.count('GET /auth-tokens')).toBe(0);
    expect(account.requests.slice(2)).toMatchObject([
      { endpoint: 'GET /auth-tokens/{token}', subject: 'mac-mini', status: 200 },
      { endpoint: 'GET /auth-tokens/{token}', subject: null, status: 401 },
    ]);
    const log = JSON.stringify(account.requests);
    for (const secret of [token, inUrl, 'unknown-token', 'invented-key']) expect(log).not.toContain(secret);
  });

  it('keeps raw paths only when asked', async () => {
    const raw = await startLocaltonetAccount({ apiKey: 'k', keepRawPaths: true });
    await fetch(`${raw.baseUrl}/auth-tokens/abc?x=1`);
    expect(raw.requests[0]?.rawPath).toBe('/api/v2/auth-tokens/abc?x=1');
    await raw.close();
  });

  it('refuses what does not fit the account', () => {
    const tunnel = { title: 't', url: 'https://t.example', deviceToken: token };
    expect(() => account.addDevice({ token: 'new', name: 'nas' })).toThrow(/already in the account/);
    expect(() => account.addTunnel({ ...tunnel, id: '11' })).toThrow('Tunnel 11 is already in the account.');
    expect(() => account.addTunnel({ ...tunnel, id: 'x' })).toThrow(/number of 1 to 15 digits/);
    expect(() => account.addTunnel({ ...tunnel, id: '5', deviceToken: 'none' })).toThrow(/token of no device/);
  });
});

describe('API v2 faults', () => {
  it('limits the rate with Retry-After in seconds, by date, or without', async () => {
    account.setFault({ kind: 'rate_limited', retryAfter: 3 }, { times: 1 });
    account.setFault({ kind: 'rate_limited', retryAfter: new Date(Date.UTC(2030, 0, 1)) }, { times: 1 });
    account.setFault({ kind: 'rate_limited', retryAfter: null }, { times: 1 });
    const seen: unknown[] = [];
    for (let call_ = 0; call_ < 4; call_ += 1) {
      const answer = await call('/tunnels');
      seen.push([answer.status, answer.headers.get('retry-after')]);
    }
    expect(seen).toEqual([
      [429, '3'],
      [429, 'Tue, 01 Jan 2030 00:00:00 GMT'],
      [429, null],
      [200, null],
    ]);
  });

  it('fails at one endpoint until cleared', async () => {
    account.setFault({ kind: 'status', status: 500 }, { endpoint: 'GET /tunnels/{id}' });
    expect((await call('/tunnels/298487')).status).toBe(500);
    expect((await call('/tunnels/298487')).status).toBe(500);
    expect((await call('/tunnels')).status).toBe(200);
    account.clearFaults();
    expect((await call('/tunnels/298487')).status).toBe(200);
  });

  it('hangs, drops and talks nonsense', async () => {
    account.setFault({ kind: 'hang' }, { times: 1 });
    await expect(call('/tunnels', { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
    account.setFault({ kind: 'drop' }, { times: 1 });
    await expect(call('/tunnels')).rejects.toThrow('fetch failed');
    account.setFault({ kind: 'malformed_json' }, { times: 1 });
    const nonsense = await call('/tunnels');
    expect([nonsense.status, nonsense.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    await expect(nonsense.json()).rejects.toThrow(/JSON/);
    account.setFault({ kind: 'malformed_json', body: '{"a":NaN}' }, { times: 1 });
    expect(await (await call('/tunnels')).text()).toBe('{"a":NaN}');
  });

  it('counts the most requests open at one time', async () => {
    account.setFault({ kind: 'hang' });
    const leave = new AbortController();
    const calls = [1, 2, 3].map(() => call('/tunnels', { signal: leave.signal }).catch(() => 'left'));
    while (account.peakInFlight < 3) await new Promise(setImmediate);
    leave.abort();
    expect(await Promise.all(calls)).toEqual(['left', 'left', 'left']);
    expect(account.requests.map((request) => request.status)).toEqual([null, null, null]);
  });

  it('bends answers into other shapes', async () => {
    account.setShape({ wrapListsIn: 'data', idsAsStrings: true, missingFields: ['title', 'clientIsOnline'] });
    expect(await read('/tunnels')).toMatchObject({ data: [{ id: '298487' }, { id: '11' }] });
    expect(await read('/tunnels/11')).not.toHaveProperty('title');
    expect(await read(`/auth-tokens/${inUrl}`)).toEqual({ token, name: 'mac-mini' });
    account.setShape({ wrapListsIn: null, idsAsStrings: false, missingFields: [] });
    expect(await read('/tunnels/298487')).toEqual(web);
  });

  it('takes its time, and goes away and comes back', async () => {
    account.setLatency(40);
    const startedAt = performance.now();
    await call('/tunnels');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39);
    account.setLatency(0);
    const { baseUrl } = account;
    await account.stopApi();
    await expect(call('/tunnels')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await account.startApi();
    expect(account.baseUrl).toBe(baseUrl);
    expect((await call('/tunnels')).status).toBe(200);
  });
});

describe('a tunnel bound to its edge', () => {
  it('is cut and restored with the device, the connection and the API actions', async () => {
    const agent = await startAgent({ probeToken: 'p' });
    const edge = await startTunnel({ agentPort: agent.port });
    account.addTunnel({ id: '7', title: 'bound', url: edge.url, deviceToken: token, edge });
    expect(edge.isUp).toBe(true);
    await account.deviceGoesOffline('mac-mini');
    expect(edge.isUp).toBe(false);
    await account.deviceComesBack('mac-mini');
    expect(edge.isUp).toBe(true);
    await account.tunnelDisconnects('7');
    expect(edge.isUp).toBe(false);
    await account.tunnelConnects('7');
    expect(edge.isUp).toBe(true);
    await post('/tunnels/7/actions/stop');
    expect(edge.isUp).toBe(false);
    await account.deviceGoesOffline('mac-mini');
    await account.deviceComesBack('mac-mini');
    expect(edge.isUp).toBe(false);
    await post('/tunnels/7/actions/start');
    expect(edge.isUp).toBe(true);
    await Promise.all([edge.close(), agent.close()]);
  });
});
