import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from './start-agent.ts';

let agent: Agent;
beforeEach(async () => {
  agent = await startAgent({ probeToken: 'invented-probe' });
});
afterEach(() => agent.close());

// A pooled connection could be one that a stop has just closed, so every call dials anew.
const get = (path: string, headers: Record<string, string> = {}, timeoutMs = 5_000) =>
  fetch(agent.url + path, { headers: { ...headers, connection: 'close' }, signal: AbortSignal.timeout(timeoutMs) });
const probe = { authorization: 'Bearer invented-probe' };

describe('agent', () => {
  it('has health pages', async () => {
    expect(await (await get('/livez')).text()).toBe('ok');
    expect(await (await get('/healthz')).text()).toBe('ok');
    expect(await (await get('/readyz')).json()).toEqual({ status: 'ok' });
    expect((await get('/nothing-here')).status).toBe(404);
  });

  it('says how ready it is', async () => {
    agent.setReadiness({ status: 'degraded', dependencies: { search: 'down' } });
    const degraded = await get('/readyz');
    expect(degraded.status).toBe(200);
    expect(await degraded.json()).toEqual({ status: 'degraded', dependencies: { search: 'down' } });
    agent.setReadiness('unready');
    expect((await get('/readyz')).status).toBe(503);
    agent.setReadiness({ status: 'degraded', httpStatus: 503 });
    expect((await get('/readyz')).status).toBe(503);
  });

  it('tells who it is to a probe with the token only, and echoes its nonce', async () => {
    expect((await get('/whoami')).status).toBe(401);
    expect((await get('/whoami', { authorization: 'Bearer other' })).status).toBe(401);
    expect(await (await get('/whoami', probe)).json()).toEqual({ agent: 'research-agent', scope: 'probe' });
    const echoed = await get('/whoami', { ...probe, 'tidegate-nonce': 'n-1' });
    expect(await echoed.json()).toMatchObject({ nonce: 'n-1' });
  });

  it('can refuse a valid token, fail, and be slow', async () => {
    agent.setMode(401);
    expect((await get('/whoami', probe)).status).toBe(401);
    agent.setMode(500);
    expect((await get('/whoami', probe)).status).toBe(500);
    agent.setMode('slow', { slowMs: 60_000 });
    await expect(get('/whoami', probe, 50)).rejects.toThrow(/timeout/);
    agent.setMode('slow', { slowMs: 20 });
    expect((await get('/whoami', probe)).status).toBe(200);
  });

  it('is refused while stopped and comes back on the same port', async () => {
    await agent.stop();
    expect(agent.state).toBe('stopped');
    await expect(get('/livez')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await agent.start();
    expect((await get('/livez')).status).toBe(200);
  });

  it('hangs until started again, then drops what hung', async () => {
    agent.hang();
    const hung = get('/livez').catch((error: Error) => error.message);
    while (agent.requests.length === 0) await new Promise(setImmediate);
    expect(agent.state).toBe('hanging');
    await agent.start();
    expect(await hung).toBe('fetch failed');
    expect((await get('/livez')).status).toBe(200);
  });

  it('keeps a log without headers or queries', async () => {
    await get('/livez?token=invented-query');
    await get('/whoami', probe);
    expect(agent.requests).toMatchObject([
      { method: 'GET', path: '/livez', authorized: false, answered: true },
      { method: 'GET', path: '/whoami', authorized: true, answered: true },
    ]);
    expect(JSON.stringify(agent.requests)).not.toContain('invented');
  });
});
