import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Stack } from './run-stack.ts';
import { startTestPostgres, startTestRedis } from './servers.ts';
import { makeTempFolder } from './temp-folder.ts';

/** Where a stack keeps everything, so that it can be searched afterwards. */
export interface SearchedStores {
  readonly env: Readonly<Record<string, string>>;
  /** Of a Redis, and everything it was told. */
  readonly redis: { readonly port: number; readonly commands: string[] } | null;
  postgresFolder(stack: Stack): string;
  /** Ends what is not the stack's own, and leaves the files. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** A Postgres and a Redis of its own, with all that Redis is told. */
export async function startOwnStores(): Promise<SearchedStores> {
  const dataDir = await makeTempFolder('leak-postgres');
  const [postgres, redis] = await Promise.all([startTestPostgres({ dataDir }), startTestRedis()]);
  const commands: string[] = [];
  const client = new Redis(redis.port, '127.0.0.1');
  const watcher = await client.monitor();
  watcher.on('monitor', (_time: string, args: string[]) => commands.push(args.join(' ')));
  const stop = async () => {
    watcher.disconnect();
    client.disconnect();
    await Promise.all([postgres.stop(), redis.stop()]);
  };
  return {
    env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url },
    redis: { port: redis.port, commands },
    postgresFolder: () => dataDir,
    stop,
    remove: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** What `tidegate up` starts by itself. */
export async function useEmbeddedStore(): Promise<SearchedStores> {
  const postgresFolder = (stack: Stack) => join(stack.dataDir, 'postgres');
  return { env: {}, redis: null, postgresFolder, stop: async () => {}, remove: async () => {} };
}
