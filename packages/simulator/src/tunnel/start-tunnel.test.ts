import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from '../agent/start-agent.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../callback-receiver/start-callback-receiver.ts';
import { startTunnel, type Tunnel } from './start-tunnel.ts';

let agent: Agent;
let tunnel: Tunnel;
beforeEach(async () => {
  agent = await startAgent({ probeToken: 'invented-probe' });
  tunnel = await startTunnel({ agentPort: agent.port, stoppedAppDelayMs: 30 });
});
afterEach(() => Promise.all([tunnel.close(), agent.close()]));

// A pooled connection could be one that a stop has just closed, so every call dials anew.
const fresh = { connection: 'close' };
const skip = { ...fresh, 'localtonet-skip-warning': 'true' };
const get = (path: string, headers: Record<string, string> = skip) => fetch(tunnel.url + path, { headers });

describe('tunnel', () => {
  it('forwards path, query, headers and answer', async () => {
    const answer = await get('/whoami', { ...skip, authorization: 'Bearer invented-probe', 'tidegate-nonce': 'n-7' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ nonce: 'n-7' });
    expect((await get('/whoami')).status).toBe(401);
    expect(tunnel.requests).toMatchObject([{ path: '/whoami', outcome: 'forwarded' }, { outcome: 'forwarded' }]);
  });

  it('answers 200 with its own page unless told to skip it, and does not ask the agent', async () => {
    const answer = await get('/healthz', fresh);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(await answer.text()).not.toMatch(/\bok\b/);
    expect(agent.requests).toHaveLength(0);
  });

  it('answers 502 HTML while the client is gone, with or without the header', async () => {
    tunnel.cut();
    for (const headers of [skip, fresh]) {
      const answer = await get('/healthz', headers);
      expect(answer.status).toBe(502);
      expect(answer.headers.get('content-type')).toContain('text/html');
    }
    tunnel.restore();
    expect(await (await get('/healthz')).text()).toBe('ok');
  });

  it('says after a delay that the app is stopped, naming the private address', async () => {
    await agent.stop();
    const startedAt = performance.now();
    const answer = await get('/healthz');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain(`http://127.0.0.1:${agent.port}`);
    await agent.start();
    expect((await get('/healthz')).status).toBe(200);
  });

  it('says the same of an app that hangs', async () => {
    agent.hang();
    const impatient = await startTunnel({ agentPort: agent.port, appTimeoutMs: 40 });
    expect((await fetch(impatient.url, { headers: skip })).status).toBe(500);
    expect(impatient.requests.at(-1)?.outcome).toBe('app_stopped');
    await impatient.close();
  });

  it('answers 502 to requests under way when it is cut', async () => {
    agent.setMode('slow', { slowMs: 60_000 });
    tunnel.setStoppedAppDelay(60_000);
    const slow = get('/whoami', { ...skip, authorization: 'Bearer invented-probe' });
    while (agent.requests.length === 0) await new Promise(setImmediate);
    tunnel.cut();
    expect((await slow).status).toBe(502);
    tunnel.restore();
    await agent.stop();
    const waiting = get('/healthz');
    while (tunnel.requests.length < 2) await new Promise(setImmediate);
    tunnel.cut();
    expect((await waiting).status).toBe(502);
  });

  it('lets go of the app when the caller leaves', async () => {
    await agent.stop();
    tunnel.setStoppedAppDelay(60_000);
    const leave = new AbortController();
    const left = fetch(tunnel.url, { headers: skip, signal: leave.signal }).catch((error: Error) => error.name);
    while (tunnel.requests.length === 0) await new Promise(setImmediate);
    leave.abort();
    expect(await left).toBe('AbortError');
    while (tunnel.requests.at(-1)?.outcome === null) await new Promise(setImmediate);
    expect(tunnel.requests.at(-1)?.outcome).toBe('caller_left');
  });
});

describe('tunnel with bodies', () => {
  let app: CallbackReceiver;
  let edge: Tunnel;
  beforeEach(async () => {
    app = await startCallbackReceiver();
    edge = await startTunnel({ agentPort: app.port, stoppedAppDelayMs: 0 });
  });
  afterEach(() => Promise.all([edge.close(), app.close()]));

  it('carries a large body up and an answer down', async () => {
    const body = 'x'.repeat(500_000);
    app.setBehaviour({ kind: 'answer', status: 201, body: 'y'.repeat(500_000) });
    const answer = await fetch(`${edge.url}/in?q=1`, { method: 'POST', headers: skip, body });
    expect(answer.status).toBe(201);
    expect((await answer.text()).length).toBe(500_000);
    expect(app.requests[0]).toMatchObject({ method: 'POST', path: '/in?q=1', body });
  });

  it('reports an app that breaks off as stopped', async () => {
    app.setBehaviour({ kind: 'commit_then_drop' });
    const answer = await fetch(`${edge.url}/in`, { method: 'POST', headers: skip, body: 'x' });
    expect(answer.status).toBe(500);
    expect(app.effectsOf('')).toBe(1);
  });
});
