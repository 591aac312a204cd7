import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { openEventWriter } from '../../stream/event-writer.ts';
import { createChangeWatcher } from './change-watcher.ts';
import { followChanges } from './follow-changes.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** One stream over a real socket. */
async function startStream(session: () => Promise<boolean> = async () => true, unsureMs = 60_000) {
  const world = { mark: 0, ended: 0, text: '', closed: false };
  const changes = createChangeWatcher(async () => String(world.mark), { everyMs: 5 });
  const server = createServer((_request, response) => {
    followChanges({
      writer: openEventWriter(response, { retryMs: 3000 }),
      changes,
      isLive: session,
      everyMs: 10,
      unsureMs,
      onEnd: () => {
        world.ended += 1;
      },
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    changes.stop();
    server.closeAllConnections();
    server.close();
  });
  const request = get({ port: (server.address() as AddressInfo).port, agent: false });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.setEncoding('utf8').on('data', (text: string) => {
    world.text += text;
  });
  response.on('error', () => undefined);
  response.once('close', () => {
    world.closed = true;
  });
  return { world, changes, request };
}

describe('followChanges', () => {
  it('tells of each change, and nothing of what has changed', async () => {
    const { world } = await startStream();
    const told = () => world.text.split('event: changed').length - 1;
    await until('the first look', told, (n) => n === 1);
    world.mark = 1;
    await until('the change', told, (n) => n === 2);
    expect(world.text).toBe(`retry: 3000\n\n${'event: changed\ndata: "page"\n\n'.repeat(2)}`);
  });

  it('ends with its session, and says so', async () => {
    let live = true;
    const { world } = await startStream(async () => live);
    live = false;
    await until(
      'the end',
      () => world.closed,
      (closed) => closed,
    );
    expect(world.text).toContain('event: ended\ndata: "session"\n\n');
    expect(world.ended).toBe(1);
  });

  it('goes on for a while although nobody can say whether its session lives', async () => {
    let asked = 0;
    const { world } = await startStream(async () => {
      asked += 1;
      throw new Error('away');
    });
    await until(
      'it was asked',
      () => asked,
      (n) => n > 3,
    );
    expect([world.ended, world.closed]).toEqual([0, false]);
  });

  it('ends when nobody can say so for long, and does not claim that the session is over', async () => {
    const away = async () => {
      throw new Error('away');
    };
    const { world } = await startStream(away, 30);
    await until(
      'the end',
      () => world.closed,
      (closed) => closed,
    );
    expect(world.ended).toBe(1);
    expect(world.text).not.toContain('event: ended');
  });

  it('leaves nothing behind when the browser was gone before it began', async () => {
    const changes = createChangeWatcher(async () => 'mark', { everyMs: 5 });
    closing.push(() => changes.stop());
    const ended = { count: 0, asked: 0 };
    const server = createServer((_request, response) => {
      response.once('close', () =>
        followChanges({
          writer: openEventWriter(response, { retryMs: 1 }),
          changes,
          isLive: async () => {
            ended.asked += 1;
            return true;
          },
          everyMs: 5,
          onEnd: () => {
            ended.count += 1;
          },
        }),
      );
      request.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    request.on('error', () => undefined);
    await until(
      'the end',
      () => ended.count,
      (n) => n === 1,
    );
    expect(ended.asked).toBe(0);
  });

  it.each([
    ['the browser is gone', ({ request }: Awaited<ReturnType<typeof startStream>>) => request.destroy()],
    ['the api stops', ({ changes }: Awaited<ReturnType<typeof startStream>>) => changes.stop()],
  ])('leaves nothing behind when %s', async (_how, end) => {
    const started = await startStream();
    end(started);
    await until(
      'the end',
      () => started.world.ended,
      (n) => n === 1,
    );
    started.changes.stop();
    started.request.destroy();
    await until(
      'its socket is closed',
      () => started.world.closed,
      (closed) => closed,
    );
    expect(started.world.ended).toBe(1);
  });

  it('ends at once when the api stops already', async () => {
    const first = await startStream();
    first.changes.stop();
    await until(
      'the end',
      () => first.world.ended,
      (n) => n === 1,
    );
    const ended = { count: 0 };
    const server = createServer((_request, response) =>
      followChanges({
        writer: openEventWriter(response, { retryMs: 1 }),
        changes: first.changes,
        isLive: async () => true,
        onEnd: () => {
          ended.count += 1;
        },
      }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await answer.text()).toBe('retry: 1\n\n');
    expect(ended.count).toBe(1);
  });
});
