import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServerLog } from './server-log.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('keeps two files of bounded size, readable by their owner only, and the last words in memory', async () => {
  const path = join(folder, 'postgres.log');
  const log = openServerLog(path, 1_000);
  for (let line = 0; line < 200; line += 1) log.append(Buffer.from(`line ${line}\n`));
  const sizes = await Promise.all([path, `${path}.1`].map(async (file) => (await stat(file)).size));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(log.tail().endsWith('line 199\n')).toBe(true);
});

it('goes on counting where an earlier run stopped', async () => {
  const path = join(folder, 'postgres.log');
  openServerLog(path, 100).append(Buffer.alloc(90, 'a'));
  openServerLog(path, 100).append(Buffer.alloc(20, 'b'));
  expect((await stat(path)).size).toBe(20);
});

it('lets the server run on when the file cannot be written', () => {
  const log = openServerLog(join(folder, 'missing', 'postgres.log'));
  log.append(Buffer.from('still heard'));
  expect(log.tail()).toBe('still heard');
});
