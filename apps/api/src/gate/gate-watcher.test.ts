import type { Gate } from '@tidegate/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGateWatcher } from './gate-watcher.ts';

const HELD = { decision: 'held', state: 'held', generation: 3 } as const;
const OPEN = { ...HELD, decision: 'allowed', state: 'open' } as const;
const staying = () => new AbortController().signal;

function watch() {
  const gates = new Map<string, Gate>();
  const reads: string[][] = [];
  const failing = { error: null as Error | null };
  const watcher = createGateWatcher(
    {
      read: async (names) => {
        reads.push([...new Set(names)]);
        if (failing.error !== null) throw failing.error;
        return new Map(gates);
      },
    },
    { pollEveryMs: 250 },
  );
  const set = (service: string, standing: typeof HELD | typeof OPEN) =>
    gates.set(service, { service, ...standing } as unknown as Gate);
  return { watcher, gates, reads, failing, set };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the gate watcher', () => {
  it('ends a wait when the gate has changed', async () => {
    const { watcher, set } = watch();
    set('a', HELD);
    const end = watcher.wait('a', HELD, { waitMs: 30_000, client: staying() });
    await vi.advanceTimersByTimeAsync(1000);
    set('a', OPEN);
    await vi.advanceTimersByTimeAsync(250);
    expect(await end).toMatchObject({ kind: 'changed', gate: OPEN });
  });

  it.each(['decision', 'state', 'generation'] as const)('takes another %s for a change', async (field) => {
    const { watcher, gates } = watch();
    const changed = { decision: 'allowed', state: 'releasing', generation: 4 } as const;
    gates.set('a', { service: 'a', ...HELD, [field]: changed[field] } as unknown as Gate);
    const end = watcher.wait('a', HELD, { waitMs: 30_000, client: staying() });
    await vi.advanceTimersByTimeAsync(250);
    expect((await end).kind).toBe('changed');
  });

  it('asks once for all who wait, four times a second, and not at all when nobody does', async () => {
    const { watcher, reads, set } = watch();
    set('a', HELD);
    set('b', HELD);
    const ends = Array.from({ length: 100 }, (_, index) =>
      watcher.wait(index % 2 === 0 ? 'a' : 'b', HELD, { waitMs: 2000, client: staying() }),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await Promise.all(ends)).every(({ kind }) => kind === 'expired')).toBe(true);
    expect(reads.length).toBeGreaterThanOrEqual(7);
    expect(reads.length).toBeLessThanOrEqual(8);
    expect(reads[0]).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets a client that hung up', async () => {
    const { watcher, reads, set } = watch();
    set('a', HELD);
    const client = new AbortController();
    const end = watcher.wait('a', HELD, { waitMs: 30_000, client: client.signal });
    client.abort();
    expect(await end).toEqual({ kind: 'disconnected' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads.length).toBeLessThanOrEqual(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await watcher.wait('a', HELD, { waitMs: 1, client: client.signal })).toEqual({ kind: 'disconnected' });
  });

  it('says when the service is gone', async () => {
    const { watcher } = watch();
    const end = watcher.wait('a', HELD, { waitMs: 30_000, client: staying() });
    await vi.advanceTimersByTimeAsync(250);
    expect(await end).toEqual({ kind: 'gone' });
  });

  it('fails those who wait while the store is away, and serves who waits afterwards', async () => {
    const { watcher, failing, set } = watch();
    failing.error = new Error('away');
    const failed = watcher
      .wait('a', HELD, { waitMs: 30_000, client: staying() })
      .catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(250);
    expect(await failed).toBe('away');
    failing.error = null;
    set('a', OPEN);
    const end = watcher.wait('a', HELD, { waitMs: 30_000, client: staying() });
    await vi.advanceTimersByTimeAsync(250);
    expect((await end).kind).toBe('changed');
  });

  it('does not compare who joined during a read with what that read finds', async () => {
    let answer: (gates: Map<string, Gate>) => void = () => {};
    const watcher = createGateWatcher(
      { read: () => new Promise((resolve) => (answer = resolve)) },
      { pollEveryMs: 250 },
    );
    const early = watcher.wait('a', HELD, { waitMs: 30_000, client: staying() });
    await vi.advanceTimersByTimeAsync(250);
    const late = watcher.wait('a', OPEN, { waitMs: 1000, client: staying() });
    answer(new Map([['a', { service: 'a', ...HELD, generation: 2 } as unknown as Gate]]));
    expect((await early).kind).toBe('changed');
    await vi.advanceTimersByTimeAsync(1000);
    expect((await late).kind).toBe('expired');
    watcher.stop();
  });

  it('ends every wait when it stops, and those that come later as they begin', async () => {
    const { watcher, set } = watch();
    set('a', HELD);
    const end = watcher.wait('a', HELD, { waitMs: 30_000, client: staying() });
    watcher.stop();
    expect(await end).toEqual({ kind: 'stopped' });
    expect(await watcher.wait('a', HELD, { waitMs: 30_000, client: staying() })).toEqual({ kind: 'stopped' });
    expect(vi.getTimerCount()).toBe(0);
  });
});
