import { join, resolve } from 'node:path';
import type { ProcessEnv } from '@tidegate/runtime';

/** Flags of `tidegate up`; each wins over its environment variable. */
export interface UpFlags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly receiverPort?: number;
  readonly apiPort?: number;
  readonly readyFile?: string;
}

export interface UpSettings {
  readonly configFile: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly receiverPort: number;
  readonly apiPort: number;
  readonly readyFile: string;
}

const RECEIVER_PORT = 7411;
const API_PORT = 7412;

/** What one start uses: flags, then the environment, then the defaults. Paths are absolute, since children inherit them. */
export function toUpSettings(flags: UpFlags, env: ProcessEnv): UpSettings {
  const dataDir = resolve(flags.dataDir ?? env.dataDir);
  return {
    configFile: resolve(flags.config ?? env.configFile),
    dataDir,
    databaseUrl: env.databaseUrl,
    redisUrl: env.redisUrl,
    receiverPort: flags.receiverPort ?? env.receiverPort ?? RECEIVER_PORT,
    apiPort: flags.apiPort ?? env.apiPort ?? API_PORT,
    readyFile: resolve(flags.readyFile ?? env.readyFile ?? join(dataDir, 'ready.json')),
  };
}
