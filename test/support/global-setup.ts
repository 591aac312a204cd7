import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { TestProject } from 'vitest/node';
import { startTestPostgres, startTestRedis } from './servers.ts';
import { sweepTempFolders } from './temp-folder.ts';

interface Startable {
  url: string;
  stop(): Promise<void>;
}

/**
 * Vitest calls this once per run, in its main process. Test files ask it over loopback for the run's Postgres or Redis, so
 * runs that need neither start neither; TIDEGATE_TEST_POSTGRES names one that is there already. Returns the teardown.
 */
export default async function setUpServers(project: TestProject): Promise<() => Promise<void>> {
  await sweepTempFolders();
  const started = new Map<string, Promise<Startable>>();
  const given = process.env.TIDEGATE_TEST_POSTGRES;
  const starts: Record<string, () => Promise<Startable>> = {
    postgres: given === undefined ? startTestPostgres : async () => ({ url: given, stop: async () => undefined }),
    redis: startTestRedis,
  };
  const prefix = `/${randomBytes(16).toString('hex')}`;
  const server = createServer(async (request, response) => {
    const name = request.url?.startsWith(`${prefix}/`) ? request.url.slice(prefix.length + 1) : '';
    const start = starts[name];
    if (start === undefined) return void response.writeHead(404).end();
    try {
      const running = started.get(name) ?? start();
      started.set(name, running);
      response.end((await running).url);
    } catch (error) {
      response.writeHead(503).end(error instanceof Error ? error.message : 'it did not start');
    }
  });
  project.provide('testServersUrl', `http://127.0.0.1:${await listen(server)}${prefix}`);
  endWithParent();
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.allSettled([...started.values()].map(async (running) => (await running).stop()));
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** `npm test` starts vitest with a channel to itself; when that closes, npm test was killed and nobody reads the result. */
function endWithParent(): void {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.exit(1));
  process.channel.unref();
}
