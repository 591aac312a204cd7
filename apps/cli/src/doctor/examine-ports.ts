import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ProcessEnv } from '@tidegate/runtime';
import { toUpSettings } from '../up/up-settings.ts';
import type { ReadyFile } from '../up/write-ready-file.ts';
import { broken, type Finding, ok, warning } from './finding.ts';

interface Listener {
  readonly name: 'receiver' | 'api';
  readonly port: number;
  readonly flag: string;
}

/** Whether the listeners can have their ports, or, where Tidegate runs, have them. */
export async function examinePorts(env: ProcessEnv): Promise<Finding[]> {
  const settings = toUpSettings({}, env);
  const running = await readRunning(env.readyFile ?? join(env.dataDir, 'ready.json'));
  const listeners: Listener[] = [
    { name: 'receiver', port: running?.receiver ?? settings.receiverPort, flag: '--receiver-port' },
    { name: 'api', port: running?.api ?? settings.apiPort, flag: '--api-port' },
  ];
  return Promise.all(listeners.map((listener) => examinePort(listener, env.host, running !== null)));
}

async function examinePort({ name, port, flag }: Listener, host: string, runs: boolean): Promise<Finding> {
  if (port === 0) return ok('ports', `The ${name} takes any free port.`);
  const code = await tryToListen(host, port);
  if (code === null) {
    if (!runs) return ok('ports', `Port ${port} of the ${name} is free.`);
    const fix = 'Look at its log, and start Tidegate anew; if it was killed, remove its ready file.';
    return broken('ports', `Nothing listens at port ${port}, where the ready file says the ${name} is.`, fix);
  }
  if (code === 'EADDRINUSE') {
    if (runs) return ok('ports', `Port ${port} is in use, by the ${name}.`);
    const fix = `If that is not the ${name} of Tidegate itself, run alone, end what has it, or choose another port with ${flag}.`;
    return warning('ports', `Port ${port} of the ${name} is in use.`, fix);
  }
  return broken(
    'ports',
    `Port ${port} of the ${name} cannot be had (${code}).`,
    `Choose another with ${flag}, or another TIDEGATE_HOST.`,
  );
}

/** @returns null when the port can be had, else why not */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** The ports that the ready file tells; null where Tidegate was not started by `tidegate up`, or has ended. */
async function readRunning(path: string): Promise<{ receiver: number; api: number } | null> {
  try {
    const { receiverUrl, apiUrl } = JSON.parse(await readFile(path, 'utf8')) as ReadyFile;
    return { receiver: Number(new URL(receiverUrl).port), api: Number(new URL(apiUrl).port) };
  } catch {
    return null;
  }
}
