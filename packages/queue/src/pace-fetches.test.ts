import type { IQueueBackend } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { limitReports } from './limit-reports.ts';
import { paceFetches } from './pace-fetches.ts';

describe('a fetch that fails', () => {
  it('takes its time, so that a worker does not spin while its store is down', async () => {
    const backend = { moveToActive: () => Promise.reject(new Error('terminated')) };
    const paced = paceFetches(backend as unknown as IQueueBackend);
    const startedMs = performance.now();
    await expect(paced.moveToActive('token')).rejects.toThrow('terminated');
    expect(performance.now() - startedMs).toBeGreaterThan(400);
    expect(paced.maximumBlockTimeout).toBe(5);
  });
});

describe('a failure that repeats', () => {
  it('is reported once per code and room', () => {
    const reported: unknown[] = [];
    const report = limitReports((failure) => reported.push(failure));
    for (const room of ['verify', 'release', 'verify', null] as const) {
      report({ code: 'ECONNREFUSED', room });
    }
    report({ code: '57P01', room: 'verify' });
    expect(reported).toHaveLength(4);
  });
});
