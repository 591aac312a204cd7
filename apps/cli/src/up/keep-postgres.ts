import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@tidegate/embedded';
import type { Log } from '@tidegate/runtime';

export interface KeptPostgres {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const LONGEST_PAUSE_MS = 1000;

/** Runs the embedded Postgres and starts it again on its port when it dies; clients reconnect by themselves. */
export async function keepPostgres(dataDir: string, log: Log, onRestart: () => void): Promise<KeptPostgres> {
  let stopping = false;
  let server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
  const { url, port } = server;
  log.info('child.started', { child: 'postgres', childPid: server.pid, attempt: 1 });
  const ended = keepRunning();

  async function keepRunning(): Promise<void> {
    for (let attempt = 2; ; attempt += 1) {
      await server.exited;
      if (stopping) return;
      log.warn('child.exited', { child: 'postgres', childPid: server.pid });
      const restarted = await restart();
      if (restarted === null) return;
      server = restarted;
      log.info('child.started', { child: 'postgres', childPid: server.pid, attempt });
      onRestart();
    }
  }

  async function restart(): Promise<EmbeddedPostgres | null> {
    for (let pauseMs = 0; !stopping; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || 100)) {
      await delay(pauseMs);
      try {
        return await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), port });
      } catch (error) {
        log.error('app.failed', { error, step: 'restart_postgres' });
      }
    }
    return null;
  }

  return {
    url,
    get pid() {
      return server.pid;
    },
    async stop() {
      stopping = true;
      await server.stop();
      await ended;
    },
  };
}
