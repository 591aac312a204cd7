import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCallbackReceiver } from '../callback-receiver/start-callback-receiver.ts';
import { startWorld, type World } from './start-world.ts';

async function withWorld(use: (world: World) => Promise<void>, options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld(options);
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

const skip = { 'localtonet-skip-warning': '1' };

describe('world', () => {
  it('is one device, its tunnel, an agent behind it, and the account that knows them', () =>
    withWorld(async (world) => {
      expect([world.deviceName, world.tunnelId]).toEqual(['mac-mini', '298487']);
      const headers = { authorization: `Bearer ${world.apiKey}` };
      const devices = await (await fetch(`${world.account.baseUrl}/auth-tokens`, { headers })).json();
      expect(devices).toEqual([{ token: world.deviceToken, name: 'mac-mini', clientIsOnline: true }]);
      const tunnel = await (await fetch(`${world.account.baseUrl}/tunnels/298487`, { headers })).json();
      expect(tunnel).toMatchObject({ id: 298487, url: world.tunnel.url, connectionStatus: true });
      expect((await fetch(world.probeUrls.liveness)).status).toBe(200);
      expect((await fetch(world.probeUrls.readiness)).status).toBe(200);
      expect(await (await fetch(world.probeUrls.public, { headers: skip })).text()).toBe('ok');
      const whoami = { ...skip, authorization: `Bearer ${world.probeToken}` };
      expect((await fetch(world.probeUrls.application, { headers: whoami })).status).toBe(200);
    }));

  it('plays an outage: edge, API and webhooks tell the same story', async () => {
    const hooks = await startCallbackReceiver();
    const play = async (world: World) => {
      expect(await world.account.deviceGoesOffline('mac-mini')).toMatchObject([{ status: 200 }, { status: 200 }]);
      expect((await fetch(world.probeUrls.public, { headers: skip })).status).toBe(502);
      expect(world.account.devices[0]?.online).toBe(false);
      await world.account.deviceComesBack('mac-mini');
      expect((await fetch(world.probeUrls.public, { headers: skip })).status).toBe(200);
      expect(hooks.requests.map((request) => JSON.parse(request.body).Status).sort()).toEqual([
        'Connected',
        'Connected',
        'Disconnected',
        'Disconnected',
      ]);
    };
    await withWorld(play, { webhookUrl: `${hooks.url}/hooks/localtonet/x` });
    await hooks.close();
  });

  it('can tell connects and disconnects at different URLs', async () => {
    const hooks = await startCallbackReceiver();
    await withWorld(async (world) => {
      world.connectWebhook(`${hooks.url}/up`, { on: 'connects' });
      world.connectWebhook(`${hooks.url}/down`, { on: 'disconnects' });
      await world.account.deviceGoesOffline('mac-mini');
      await world.account.deviceComesBack('mac-mini');
      expect(hooks.requests.map((request) => request.path)).toEqual(['/down', '/down', '/up', '/up']);
    });
    await hooks.close();
  });

  it('invents the same credentials for the same seed only', async () => {
    const secrets = async (seed: number) => {
      const world = await startWorld({ seed });
      await world.close();
      return world.secrets;
    };
    const first = await secrets(1);
    expect(new Set(first).size).toBe(3);
    expect(await secrets(1)).toEqual(first);
    expect(await secrets(2)).not.toEqual(first);
  });

  it('leaves nothing running when it cannot start', () =>
    withWorld(async (world) => {
      const ports = { agent: 0, account: world.account.port };
      await expect(startWorld({ ports })).rejects.toMatchObject({ code: 'port_in_use' });
    }));

  it('leaves no handle behind: a process ends by itself after close, whatever was under way', async () => {
    const exitCode = await runToEnd(`
      import http from 'node:http';
      import { startWorld, sendBurst, createFleet } from ${JSON.stringify(fileURLToPath(new URL('../index.ts', import.meta.url)))};
      const world = await startWorld({ stoppedAppDelayMs: 600_000 });
      world.connectWebhook(world.callbackReceiver.url);
      const events = createFleet({ devices: 5, tunnelsPerDevice: 5 }).events('Disconnected', { startMs: 0 });
      await sendBurst(world.callbackReceiver.url, events, { concurrency: 4 });
      const open = (url, headers) => {
        const request = http.get(url, { headers, agent: new http.Agent({ keepAlive: true }) }, (answer) => answer.resume());
        request.on('error', () => {});
        return request;
      };
      world.account.setFault({ kind: 'hang' });
      open(world.account.baseUrl + '/tunnels', { authorization: 'Bearer ' + world.apiKey });
      world.agent.setMode('slow', { slowMs: 600_000 });
      open(world.probeUrls.application, { 'localtonet-skip-warning': '1' });
      world.callbackReceiver.setBehaviour({ kind: 'commit_late', afterMs: 600_000 });
      world.account.setDelivery({ delayMs: 0, timeoutMs: 600_000 });
      void world.account.tunnelDisconnects('298487');
      world.account.delayNext(1, 600_000);
      void world.account.tunnelConnects('298487');
      world.callbackReceiver.waitForRequests(1_000, 600_000).catch(() => {});
      await world.callbackReceiver.waitForRequests(31, 10_000);
      await world.close();
    `);
    expect(exitCode).toBe(0);
  });
});

/** Runs a program from the repository's root; rejects when it has not ended by itself in 20 s. */
function runToEnd(program: string): Promise<number | null> {
  const cwd = fileURLToPath(new URL('../../../..', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    const kill = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('The process was still alive after 20 s.'));
    }, 20_000);
    child.once('exit', (code) => {
      clearTimeout(kill);
      resolve(code);
    });
  });
}
