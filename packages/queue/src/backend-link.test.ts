import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OpenBackend } from './backend.ts';
import { createBackendLink } from './backend-link.ts';

const refused = () => Object.assign(new Error('secret-canary'), { code: 'ECONNREFUSED' });

function openBackend(closed: string[] = []): OpenBackend {
  return {
    addAlarm: async () => undefined,
    startWorker: async () => ({ close: async () => undefined }),
    ping: async () => undefined,
    close: async () => void closed.push('closed'),
  };
}

describe('the link to the queue store', () => {
  it('is opened once for all who ask', async () => {
    let attempts = 0;
    const link = createBackendLink(async () => {
      attempts += 1;
      return openBackend();
    });
    const [first, second] = await Promise.all([link.open(), link.open()]);
    expect(second).toBe(first);
    expect(await link.open()).toBe(first);
    expect(attempts).toBe(1);
  });

  it('gives the last error at once for a while after a failure, then tries again', async () => {
    let attempts = 0;
    const link = createBackendLink(async () => {
      attempts += 1;
      if (attempts === 1) {
        throw refused();
      }
      return openBackend();
    });
    const failure = { code: 'queue_unavailable', detail: 'ECONNREFUSED', retryable: true };
    await expect(link.open()).rejects.toMatchObject(failure);
    await expect(link.open()).rejects.toMatchObject(failure);
    expect(attempts).toBe(1);
    await delay(600);
    await link.open();
    expect(attempts).toBe(2);
  });

  it('closes what it opened, and opens nothing after that', async () => {
    const closed: string[] = [];
    const link = createBackendLink(async () => openBackend(closed));
    await link.open();
    await link.close();
    expect(closed).toEqual(['closed']);
    await expect(link.open()).rejects.toMatchObject({ code: 'queue_closed' });
  });
});
