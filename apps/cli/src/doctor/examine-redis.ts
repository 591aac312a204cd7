import { AppError } from '@tidegate/core';
import { createQueue } from '@tidegate/queue';
import { broken, type Finding, ok } from './finding.ts';

/** Whether Redis answers and evicts nothing. Without REDIS_URL the queue runs on Postgres and there is nothing to look at. */
export async function examineRedis(redisUrl: string | null): Promise<Finding[]> {
  if (redisUrl === null) return [ok('redis', 'Not used: the queue runs on Postgres.')];
  let failure = 'unknown';
  try {
    const onError = ({ code }: { code: string }) => {
      failure = code;
    };
    const queue = await createQueue({ databaseUrl: '', redisUrl, onError });
    const answers = await queue.ping();
    await queue.close();
    if (answers) return [ok('redis', 'Redis answers, and its eviction policy is noeviction.')];
    const fix =
      'Start it, and see that REDIS_URL names its host and port; until then work is found by the sweep alone.';
    return [broken('redis', `Redis cannot be reached (${failure}).`, fix)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'redis_eviction') {
      return [broken('redis', `Redis refuses to work for us (${error.detail ?? error.code}).`, 'Correct REDIS_URL.')];
    }
    const fix = 'Set maxmemory-policy to noeviction (CONFIG SET, redis.conf, or the settings of your provider).';
    return [broken('redis', error.publicMessage, fix)];
  }
}
