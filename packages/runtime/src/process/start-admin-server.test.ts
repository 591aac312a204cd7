import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/create-metrics.ts';
import { type AdminServer, startAdminServer } from './start-admin-server.ts';

const metrics = createMetrics({ app: 'receiver' });
const servers: AdminServer[] = [];

async function start(ready: () => boolean | Promise<boolean>): Promise<string> {
  const server = await startAdminServer({ host: '127.0.0.1', port: 0, health: () => true, ready, metrics });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('the admin server', () => {
  it('answers health, readiness and metrics', async () => {
    let open = false;
    const url = await start(() => open);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    open = true;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toContain('process_cpu_seconds_total');
  });

  it.each([
    ['throws', () => Promise.reject(new Error('canary'))],
    ['does not answer', () => new Promise<boolean>(() => undefined)],
  ])('is not ready when the check %s', async (_, ready) => {
    const answer = await fetch(`${await start(ready)}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toBe('unavailable\n');
  });

  it('answers one same 404 to everything else', async () => {
    const url = await start(() => true);
    const answers = await Promise.all([
      fetch(`${url}/`),
      fetch(`${url}/metrics?x=1`),
      fetch(`${url}/hooks/localtonet/invented`),
      fetch(`${url}/healthz`, { method: 'POST', body: 'x' }),
      fetch(`${url}/readyz/`, { method: 'DELETE' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set(['Not found\n']));
  });

  it('rejects when its port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const refused = startAdminServer({ host: '127.0.0.1', port, health: () => true, ready: () => true, metrics });
    await expect(refused).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    other.close();
  });
});
