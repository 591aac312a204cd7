import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listener, startListener } from './start-listener.ts';

// A pooled connection could be one that a stop has just closed, so every call dials anew.
const call = (url: string) => fetch(url, { headers: { connection: 'close' } });
const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.stop()));
});

async function start(...args: Parameters<typeof startListener>): Promise<Listener> {
  const listener = await startListener(...args);
  open.push(listener);
  return listener;
}

describe('listener', () => {
  it('refuses while stopped and answers again on the same port', async () => {
    const listener = await start((_, response) => void response.end('here'));
    const { port, url } = listener;
    await listener.stop();
    await expect(call(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await listener.start();
    expect(listener.port).toBe(port);
    expect(await (await call(url)).text()).toBe('here');
  });

  it('stops at once although requests are unanswered and connections idle', async () => {
    const listener = await start(() => undefined);
    const idle = connect(listener.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const unanswered = call(listener.url).catch((error: Error) => error.message);
    while (listener.peakInFlight === 0) await new Promise(setImmediate);
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    await listener.stop();
    expect(await unanswered).toBe('fetch failed');
    await idleClosed;
  });

  it('can be stopped twice at once and started meanwhile', async () => {
    const listener = await start((_, response) => void response.end('here'));
    await Promise.all([listener.stop(), listener.stop(), listener.start()]);
    expect((await call(listener.url)).status).toBe(200);
  });

  it('says which port is taken', async () => {
    const { port } = await start(() => undefined);
    await expect(startListener(() => undefined, port)).rejects.toMatchObject({
      code: 'port_in_use',
      message: `Port ${port} of 127.0.0.1 is already in use.`,
    });
  });

  it('counts the most requests open at one time', async () => {
    const answers: (() => void)[] = [];
    const listener = await start((_, response) => {
      answers.push(() => response.end());
      if (answers.length === 3) for (const answer of answers) answer();
    });
    await Promise.all([1, 2, 3].map(() => call(listener.url)));
    expect(listener.peakInFlight).toBe(3);
  });
});
