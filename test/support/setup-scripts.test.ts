import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder } from './temp-folder.ts';

// The scripts of infra/setup run before anything is installed, so they are tested as they run: as processes.
const script = (name: string): string => JSON.stringify(new URL(`../../infra/setup/${name}.mjs`, import.meta.url).href);

let folder: string;
beforeAll(async () => {
  folder = await makeTempFolder('setup');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Started {
  process: ChildProcess;
  /** Resolves when the process, or one it started, has said `word`. */
  hear(word: string): Promise<void>;
  said(): string;
}

function startNode(code: string, command = [process.execPath], env: Record<string, string> = {}): Started {
  const [program = '', ...args] = [
    ...command,
    ...(command.length === 1 ? ['--input-type=module', '--eval', code] : []),
  ];
  const { npm_lifecycle_event: _, ...inherited } = process.env;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...inherited, ...env } });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const hear = async (word: string): Promise<void> => {
    while (!text.includes(word)) await once(child.stdout, 'data');
  };
  return { process: child, hear, said: () => text };
}

/** A wrapped program that tells each signal and the end of its parent, and ends 50 ms after the first of them. */
const wrapped = JSON.stringify(`
  const tell = (word) => { console.log(word); setTimeout(() => process.exit(7), 50); };
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => tell('<' + name + '>'));
  process.on('disconnect', () => tell('<disconnect>'));
  console.log('<ready>');
`);
const wrap = `
  import { runForeground } from ${script('run-foreground')};
  process.exit(await runForeground(process.execPath, ['--eval', ${wrapped}]));
`;

describe('a program in the foreground of npm start', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('gets %s once, and its exit code is passed on', async (signal) => {
    const started = startNode(wrap);
    await started.hear('<ready>');
    started.process.kill(signal);
    const [code] = await once(started.process, 'close');
    expect(code).toBe(7);
    expect(started.said()).toBe(`<ready>\n<${signal}>\n`);
  });

  it('learns that its parent was killed', async () => {
    const started = startNode(wrap);
    await started.hear('<ready>');
    started.process.kill('SIGKILL');
    await started.hear('<disconnect>');
  });
});

describe('a script that npm started', () => {
  it('ends itself when the shell between them is gone', async () => {
    const code = `import { endWithNpm } from ${script('end-with-npm')};
      endWithNpm(); process.on('SIGTERM', () => { console.log('<ended>'); process.exit(); });
      setInterval(() => {}, 1000); console.log('<ready>');`;
    const line = '"$0" --input-type=module --eval "$1"; true';
    const started = startNode('', ['/bin/sh', '-c', line, process.execPath, code], { npm_lifecycle_event: 'start' });
    await started.hear('<ready>');
    started.process.kill('SIGKILL');
    await started.hear('<ended>');
  });
});

describe('the lock of the set-up', () => {
  const hold = (milliseconds: number): string => `
    import { appendFileSync } from 'node:fs';
    import { withLock } from ${script('lock')};
    const path = process.argv[1];
    await withLock(path, async () => {
      appendFileSync(path + '.log', 'in '); console.log('<holding>');
      await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));
      appendFileSync(path + '.log', 'out ');
    });
  `;
  const startHolder = (path: string, milliseconds: number): Started =>
    startNode('', [process.execPath, '--input-type=module', '--eval', hold(milliseconds), path]);

  it('lets one process at a time through', async () => {
    const path = join(folder, 'lock');
    await Promise.all([1, 2, 3].map(() => once(startHolder(path, 30).process, 'close')));
    expect(await readFile(`${path}.log`, 'utf8')).toBe('in out in out in out ');
  });

  it('ends with its holder', async () => {
    const path = join(folder, 'killed');
    const first = startHolder(path, 60_000);
    await first.hear('<holding>');
    first.process.kill('SIGKILL');
    await once(startHolder(path, 0).process, 'close');
    expect(await readFile(`${path}.log`, 'utf8')).toBe('in in out ');
  });
});
