import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { problemSchema } from '@tidegate/client';
import { createLogger, createMetrics } from '@tidegate/runtime';
import { describe, expect, it, vi } from 'vitest';
import { createStreams } from './create-streams.ts';

const log = createLogger({ app: 'api', level: 'error', destination: { write: () => undefined } });

describe('streams', () => {
  it('are limited for each key, so that one that forgets to close them leaves room for others, and may begin anew', async () => {
    const streams = createStreams({ log, metrics: createMetrics({ app: 'api' }) });
    const begun: (() => void)[] = [];
    // Counted from the moment they are asked for: what they begin with may take its time.
    const open = (key: string) =>
      streams.open({} as ServerResponse, {
        key,
        start: () => new Promise<never>((_, reject) => begun.push(() => reject(new Error('away')))),
        mayStill: async () => true,
        follow: async () => ({ stopped: false }),
      });
    const waiting = Array.from({ length: 250 }, () => open('key_1').catch(() => 'failed'));
    const refused = await open('key_1');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(problemSchema.parse(await refused.json()).code).toBe('too_many_streams');
    waiting.push(...Array.from({ length: 250 }, () => open('key_2').catch(() => 'failed')));
    expect((await open('key_3')).status).toBe(503);
    for (const fail of begun) fail();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['failed']));
    const again = open('key_1').catch(() => 'failed');
    begun.at(-1)?.();
    expect(await again).toBe('failed');
  });

  it.each([
    ['key_refused', async () => false],
    ['store_unavailable', () => Promise.reject(new Error('away'))],
  ])('end within 30 s with the word %s', async (reason, mayStill) => {
    vi.useFakeTimers();
    const streams = createStreams({ log, metrics: createMetrics({ app: 'api' }) });
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const end = vi.spyOn(response, 'end');
    const follow = () => new Promise<never>(() => {});
    await streams.open(response, { key: 'key_1', start: async () => null, mayStill, follow });
    await vi.advanceTimersByTimeAsync(28_000);
    vi.useRealTimers();
    expect(end.mock.calls[0]?.[0]).toBe(`event: closed\ndata: {"reason":"${reason}"}\n\n`);
    response.destroy();
  });
});
