import { expect, it } from 'vitest';
import { loopbackGuard, startHttp, unusedPort } from '../../test/loopback.ts';
import { readRemoteClock } from './read-remote-clock.ts';

const NOW = Date.UTC(2026, 10, 30, 8, 0, 0);

async function read(headers: Record<string, string>, status = 200) {
  const server = await startHttp((_request, response) => {
    response.sendDate = false;
    response.writeHead(status, headers).end();
  });
  const clock = await readRemoteClock({ url: server.url, guard: loopbackGuard(), timeoutMs: 5000, now: () => NOW });
  return { clock, seen: server.seen };
}

it.each([
  [0, 200],
  [90_000, 200],
  [-3_600_000, 401],
])('a clock that is %i ms ahead, said with status %i', async (aheadMs, status) => {
  const { clock, seen } = await read({ date: new Date(NOW + aheadMs).toUTCString() }, status);
  expect(clock).toEqual({ ok: true, aheadMs: aheadMs + 500, withinMs: 500 });
  expect(seen[0]?.headers.authorization).toBeUndefined();
});

it('an answer without a date, or with none that can be read', async () => {
  expect((await read({})).clock).toEqual({ ok: false, reason: 'no_date' });
  expect((await read({ date: 'yesterday' })).clock).toEqual({ ok: false, reason: 'no_date' });
});

it('nobody there', async () => {
  const url = `http://127.0.0.1:${await unusedPort()}`;
  expect(await readRemoteClock({ url, guard: loopbackGuard(), timeoutMs: 2000, now: () => NOW })).toEqual({
    ok: false,
    reason: 'unreachable',
  });
});
