import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SimulatorError } from '../simulator-error.ts';
import { type CallbackReceiver, startCallbackReceiver } from './start-callback-receiver.ts';

let receiver: CallbackReceiver;
beforeEach(async () => {
  receiver = await startCallbackReceiver();
});
afterEach(() => receiver.close());

// A pooled connection could be one that a stop has just closed, so every call dials anew.
const call = (path: string, key = 'k-1', signal = AbortSignal.timeout(5_000)) =>
  fetch(receiver.url + path, {
    method: 'POST',
    headers: { 'idempotency-key': key, connection: 'close' },
    body: `body of ${path}`,
    signal,
  });

/** Sends a callback and gives up as soon as it has arrived. */
async function callAndLeave(key: string): Promise<void> {
  const leave = new AbortController();
  const left = call('/', key, leave.signal).catch((error: Error) => error.name);
  await receiver.waitForRequests(receiver.requests.length + 1, 5_000);
  leave.abort();
  expect(await left).toBe('AbortError');
}

describe('callback receiver', () => {
  it('records every request in order, with headers and body', async () => {
    await call('/first?x=1', 'k-1');
    await call('/second', 'k-2');
    expect(receiver.requests).toMatchObject([
      { method: 'POST', path: '/first?x=1', body: 'body of /first?x=1', idempotencyKey: 'k-1', committed: true },
      { method: 'POST', path: '/second', headers: { 'idempotency-key': 'k-2' }, complete: true },
    ]);
    expect(receiver.requests[0]?.atMs).toBeLessThanOrEqual(receiver.requests[1]?.atMs ?? 0);
  });

  it('answers as told: next request first, then path, then default', async () => {
    receiver.setBehaviour({ kind: 'answer', status: 202 });
    receiver.setBehaviourFor('/special', { kind: 'answer', status: 404, body: '{"no":1}', headers: { 'x-a': 'b' } });
    receiver.behaveNext({ kind: 'answer', status: 503 }, 2);
    const statuses: number[] = [];
    for (const path of ['/special', '/a', '/special', '/a']) statuses.push((await call(path)).status);
    expect(statuses).toEqual([503, 503, 404, 202]);
    expect((await call('/special')).headers.get('x-a')).toBe('b');
    receiver.setBehaviourFor('/special', null);
    expect((await call('/special')).status).toBe(202);
    expect(receiver.effectsOf('k-1')).toBe(2);
  });

  it('waits before an answer, and commits nothing when the sender left before it', async () => {
    receiver.behaveNext({ kind: 'answer', delayMs: 30 });
    const startedAt = performance.now();
    expect((await call('/')).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
    receiver.behaveNext({ kind: 'answer', delayMs: 60_000 });
    await callAndLeave('k-2');
    expect(receiver.effectsOf('k-2')).toBe(0);
  });

  it('commits, then drops the connection', async () => {
    receiver.behaveNext({ kind: 'commit_then_drop' });
    await expect(call('/')).rejects.toThrow('fetch failed');
    expect(receiver.effectsOf('k-1')).toBe(1);
  });

  it('resets before reading the body', async () => {
    receiver.behaveNext({ kind: 'reset_before_reading' });
    await expect(call('/')).rejects.toThrow('fetch failed');
    expect(receiver.requests).toMatchObject([{ complete: false, body: '', committed: false }]);
    expect(receiver.effects.size).toBe(0);
  });

  it('commits at once and answers after the sender gave up', async () => {
    receiver.behaveNext({ kind: 'commit_then_answer_late', afterMs: 60_000 });
    await callAndLeave('k-1');
    expect(receiver.effectsOf('k-1')).toBe(1);
  });

  it('commits late, even when the sender is gone', async () => {
    receiver.behaveNext({ kind: 'commit_late', afterMs: 50 });
    await callAndLeave('k-1');
    await receiver.waitFor(({ effects }) => effects.get('k-1') === 1, 5_000);
    expect((await fetch(receiver.statusUrl('k-1'))).status).toBe(200);
  });

  it('fails after committing', async () => {
    receiver.behaveNext({ kind: 'commit_then_fail' });
    expect((await call('/')).status).toBe(500);
    expect(receiver.effectsOf('k-1')).toBe(1);
  });

  it('asks to come back later, in seconds or by date', async () => {
    receiver.behaveNext({ kind: 'retry_after', retryAfter: 7 });
    const seconds = await call('/');
    expect([seconds.status, seconds.headers.get('retry-after')]).toEqual([429, '7']);
    receiver.behaveNext({ kind: 'retry_after', status: 503, retryAfter: new Date(Date.UTC(2030, 0, 2, 3, 4, 5)) });
    const date = await call('/');
    expect([date.status, date.headers.get('retry-after')]).toEqual([503, 'Wed, 02 Jan 2030 03:04:05 GMT']);
    expect(receiver.effects.size).toBe(0);
  });

  it('never answers when told to hang', async () => {
    receiver.behaveNext({ kind: 'hang' });
    await callAndLeave('k-1');
    expect(receiver.requests).toMatchObject([{ complete: true, committed: false }]);
  });

  it('refuses while stopped and keeps what it knew', async () => {
    await call('/');
    await receiver.stop();
    await expect(call('/')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await receiver.start();
    await call('/');
    expect(receiver.effectsOf('k-1')).toBe(2);
  });

  it('records a request whose body broke off and commits nothing', async () => {
    const socket = connect(receiver.port, '127.0.0.1');
    socket.write('POST /half HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf', () => socket.end());
    await receiver.waitForRequests(1, 5_000);
    expect(receiver.requests).toMatchObject([{ path: '/half', complete: false, committed: false }]);
  });
});

describe('waiting for callbacks', () => {
  it('resolves as soon as enough have arrived', async () => {
    const arrived = receiver.waitForRequests(2, 5_000);
    await call('/a');
    await call('/b');
    expect((await arrived).map((request) => request.path)).toEqual(['/a', '/b']);
    expect(await receiver.waitForRequests(1, 0)).toHaveLength(2);
  });

  it('says how many came when time runs out, or that the receiver closed', async () => {
    await call('/a');
    await expect(receiver.waitForRequests(3, 20)).rejects.toMatchObject({
      code: 'wait_timed_out',
      message: 'Only 1 of 3 callbacks arrived within 20 ms.',
    });
    const closed = receiver.waitForRequests(3, 60_000).catch((error: SimulatorError) => error.code);
    await receiver.close();
    expect(await closed).toBe('closed');
  });
});

describe('effects and status lookups', () => {
  it('counts repeats, unless the receiver deduplicates', async () => {
    await call('/');
    await call('/');
    expect(receiver.effectsOf('k-1')).toBe(2);
    const careful = await startCallbackReceiver({ deduplicates: true });
    try {
      for (const key of ['k-1', 'k-1', 'k-2']) {
        await fetch(careful.url, { method: 'POST', headers: { 'idempotency-key': key } });
      }
      expect(Object.fromEntries(careful.effects)).toEqual({ 'k-1': 1, 'k-2': 1 });
      expect(careful.requests.map((request) => request.committed)).toEqual([true, false, true]);
    } finally {
      await careful.close();
    }
  });

  it('tells whether a key took effect, on a page whose behaviour can be set', async () => {
    const odd = 'key with / and %';
    const status = async () => {
      const answer = await fetch(receiver.statusUrl(odd));
      return [answer.status, await answer.json()];
    };
    expect(await status()).toEqual([404, { state: 'not_found' }]);
    await call('/', odd);
    expect(await status()).toEqual([200, { state: 'complete' }]);
    receiver.setBehaviourFor(new URL(receiver.statusUrl(odd)).pathname, { kind: 'answer', status: 500, body: '{}' });
    expect(await status()).toEqual([500, {}]);
    receiver.behaveNext({ kind: 'answer', status: 418 });
    expect((await fetch(`${receiver.url}/status/%E0%A4%A`)).status).toBe(404);
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.lookups.map((lookup) => lookup.idempotencyKey)).toEqual([odd, odd, odd, '%E0%A4%A']);
    expect(receiver.effectsOf(odd)).toBe(1);
  });
});
