import { AppError } from '@tidegate/core';
import type { Redis } from 'ioredis';

const SAFE_POLICY = 'noeviction';

/**
 * Refuses a Redis that may evict jobs: throws AppError `redis_eviction` unless `maxmemory-policy` is `noeviction`. Managed
 * services often forbid CONFIG, so INFO is asked next; a policy that cannot be read is refused too.
 */
export async function checkEvictionPolicy(client: Redis): Promise<void> {
  const policy = (await readFromConfig(client)) ?? (await readFromInfo(client));
  if (policy === SAFE_POLICY) {
    return;
  }
  throw new AppError({
    code: 'redis_eviction',
    publicMessage:
      policy === null
        ? 'The eviction policy of Redis cannot be read, and jobs are only safe under maxmemory-policy noeviction.'
        : 'Redis may evict jobs: set maxmemory-policy to noeviction.',
  });
}

async function readFromConfig(client: Redis): Promise<string | null> {
  try {
    const answer: unknown = await client.config('GET', 'maxmemory-policy');
    return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : null;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') {
      return null;
    }
    throw error;
  }
}

async function readFromInfo(client: Redis): Promise<string | null> {
  const info = await client.info('memory');
  return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null;
}
