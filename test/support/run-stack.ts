import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callHttp, type HttpAnswer, type HttpCall, type OnAnswer } from './call-http.ts';
import { type FoundProcess, findProcesses } from './find-processes.ts';
import { makeTempFolder } from './temp-folder.ts';
import { until } from './until.ts';

/** What `tidegate up` writes when everything accepts requests (DESIGN §9). */
export interface ReadyFile {
  readonly receiverUrl: string;
  readonly apiUrl: string;
  readonly pageUrl: string;
  readonly adminKey: string;
  readonly sources: readonly { readonly name: string; readonly webhookUrl: string }[];
  readonly pids: Readonly<Record<'parent' | 'receiver' | 'api' | 'worker' | 'postgres' | 'redis', number | null>>;
  readonly adminUrls: Readonly<Record<'receiver' | 'api' | 'worker', string | null>>;
}

export interface StackOptions {
  /** The config: YAML text, or an object that is written as JSON, which is YAML too. */
  readonly config: string | object;
  /** Of an earlier stack, to start again on its data; else a new one. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ports instead of any free ones, and other flags of `tidegate up`. */
  readonly flags?: readonly string[];
  /** Which lines of level error, or on stderr without being a log line, the test provokes; any other fails it. */
  readonly provokes?: (line: string) => boolean;
  /** Told of every answer of `call`. */
  readonly onAnswer?: OnAnswer;
}

export interface StackExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running `tidegate up`, everything it prints included. */
export interface Stack {
  readonly folder: string;
  readonly dataDir: string;
  readonly readyFile: string;
  readonly pid: number;
  /** The ready file as it is now. */
  ready(): ReadyFile;
  /** All that it and its children printed so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** The log lines of an event so far. */
  events(event: string): Record<string, unknown>[];
  /** Calls the api with the admin key. */
  call(path: string, call?: HttpCall): Promise<HttpAnswer>;
  /** The JSON of a 200. */
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  /** Signals the parent, or as a terminal does for Ctrl-C its whole process group, and waits for its end. */
  stop(signal?: NodeJS.Signals, to?: 'parent' | 'group'): Promise<StackExit & { readonly elapsedMs: number }>;
  readonly exited: Promise<StackExit>;
  /** What still runs on its folder. */
  processes(): FoundProcess[];
  /** Stops it if it runs, looks through its log and for what it left behind, and removes its folder. */
  close(): Promise<void>;
}

const ENTRY = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const START_MS = 60_000;
const STOP_MS = 20_000;
const GONE_MS = 5000;

/** Starts everything in a folder of its own on free ports and waits until it is ready. Close it in the end. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = options.folder ?? (await makeTempFolder('stack'));
  const run = await spawnUp({ ...options, folder });
  const stack = describeStack(options, folder, run);
  try {
    await until(
      'the stack is ready',
      () => {
        if (hasEnded(run.child)) return 'ended';
        return existsSync(stack.readyFile) && stack.ready().pids.parent === stack.pid ? 'ready' : 'starting';
      },
      (state) => state !== 'starting',
      START_MS,
    );
    if (hasEnded(run.child)) throw new Error(`the stack ended while starting:\n${run.stderr()}`);
    return stack;
  } catch (error) {
    if (!hasEnded(run.child)) run.child.kill('SIGKILL');
    await run.closed;
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs `tidegate up` that is expected to end by itself, and gives what it said. The folder is the caller's. */
export async function runToEnd(
  options: StackOptions & { readonly folder: string },
): Promise<StackExit & { readonly stdout: string; readonly stderr: string; readonly elapsedMs: number }> {
  const startedAt = performance.now();
  const run = await spawnUp(options);
  const timer = setTimeout(() => run.child.kill('SIGKILL'), START_MS);
  const exit = await run.exited;
  const elapsedMs = performance.now() - startedAt;
  clearTimeout(timer);
  await run.closed;
  return { ...exit, stdout: run.stdout(), stderr: run.stderr(), elapsedMs };
}

/** The environment of this process without what the test run put there. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|TIDEGATE_|DATABASE_URL$|REDIS_URL$)/.test(name)
      ? []
      : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...more };
}

interface UpRun {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<StackExit>;
  /** Its output has ended, so nothing that shares it runs any more. */
  readonly closed: Promise<void>;
}

/** With an IPC channel: should this process die, the stack notices and stops. In a process group of its own, as in a terminal. */
async function spawnUp({
  config,
  folder,
  env,
  flags = [],
}: StackOptions & { readonly folder: string }): Promise<UpRun> {
  const configFile = join(folder, 'tidegate.yaml');
  await writeFile(configFile, typeof config === 'string' ? config : JSON.stringify(config, null, 2), { mode: 0o600 });
  const places = [
    '--config',
    configFile,
    '--data-dir',
    join(folder, 'data'),
    '--ready-file',
    join(folder, 'ready.json'),
  ];
  const ports = ['--receiver-port', '0', '--api-port', '0'];
  const child = spawn(process.execPath, [ENTRY, 'up', ...places, ...ports, ...flags], {
    cwd: folder,
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  return {
    child,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))),
    closed: new Promise((resolve) => child.once('close', () => resolve())),
  };
}

function describeStack(options: StackOptions, folder: string, run: UpRun): Stack {
  const dataDir = join(folder, 'data');
  const readyFile = join(folder, 'ready.json');
  const ready = () => JSON.parse(readFileSync(readyFile, 'utf8')) as ReadyFile;
  const call: Stack['call'] = (path, request = {}) => {
    const { apiUrl, adminKey } = ready();
    const headers = { authorization: `Bearer ${adminKey}`, ...request.headers };
    return callHttp(`${apiUrl}${path}`, { ...request, headers }, options.onAnswer);
  };
  const stop: Stack['stop'] = async (signal = 'SIGTERM', to = 'parent') => {
    const startedAt = performance.now();
    if (!hasEnded(run.child)) process.kill(to === 'group' ? -stack.pid : stack.pid, signal);
    return { ...(await run.exited), elapsedMs: performance.now() - startedAt };
  };
  const stack: Stack = {
    folder,
    dataDir,
    readyFile,
    pid: run.child.pid ?? 0,
    ready,
    output: () => ({ stdout: run.stdout(), stderr: run.stderr() }),
    events: (event) => logLines(run.stderr()).filter((line) => line.event === event),
    call,
    get: async <T>(path: string) => {
      const answer = await call(path);
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
      return answer.json<T>();
    },
    stop,
    exited: run.exited,
    processes: () => findProcesses(folder),
    close: () => closeStack(options, stack, run),
  };
  return stack;
}

async function closeStack(options: StackOptions, stack: Stack, run: UpRun): Promise<void> {
  const wasRunning = !hasEnded(run.child);
  const hung = setTimeout(() => run.child.kill('SIGKILL'), STOP_MS);
  const exit = await stack.stop();
  clearTimeout(hung);
  const left = await until('the stack is gone', stack.processes, (found) => found.length === 0, GONE_MS).catch(() => {
    const found = stack.processes();
    for (const { pid } of found) process.kill(pid, 'SIGKILL');
    return found;
  });
  await run.closed;
  if (options.folder === undefined) await rm(stack.folder, { recursive: true, force: true });
  const problems = [
    ...(wasRunning && exit.code !== 0 ? [`ended with ${exit.code ?? exit.signal} when told to stop`] : []),
    ...left.map(({ command }) => `left running: ${command}`),
    ...unexpectedLines(run.stderr(), options.provokes),
  ];
  if (problems.length > 0) throw new Error(`the stack did not behave:\n${problems.slice(0, 20).join('\n')}`);
}

/** Lines of level error and above, and whatever on stderr is no log line at all: a stack trace, a warning of Node. */
function unexpectedLines(stderr: string, provokes: StackOptions['provokes'] = () => false): string[] {
  return stderr.split('\n').filter((line) => {
    if (line === '') return false;
    const { level } = parseLine(line) ?? { level: 'unparsed' };
    return !['trace', 'debug', 'info', 'warn'].includes(String(level)) && !provokes(line);
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function logLines(stderr: string): Record<string, unknown>[] {
  return stderr.split('\n').flatMap((line) => {
    const parsed = parseLine(line);
    return parsed === null ? [] : [parsed];
  });
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
