import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataFolder } from './lock-data-folder.ts';
import { readProcessStart } from './process-identity.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const OLD_LOCK = 'owner-0123456789abcdef.lock';
const writeLock = (text: string): Promise<void> => writeFile(join(folder, OLD_LOCK), text);

describe('the owner of a data folder', () => {
  it('is exactly one of many that try at once, over the lock of a dead one', async () => {
    await writeLock(JSON.stringify({ pid: process.pid, start: 'an earlier process' }));
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => lockDataFolder(folder)));
    const won = tries.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await readdir(folder)).toHaveLength(1);
    await won[0]?.value.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is told to others in one sentence while it runs, without delay', async () => {
    await writeLock(JSON.stringify({ pid: process.pid, start: readProcessStart(process.pid) }));
    const anHourAgo = Date.now() / 1_000 - 3_600;
    await utimes(join(folder, OLD_LOCK), anHourAgo, anHourAgo);
    await expect(lockDataFolder(folder)).rejects.toMatchObject({
      code: 'data_folder_in_use',
      publicMessage: `The data folder ${folder} is in use by a running Tidegate (process ${process.pid}); stop that one or choose another data folder.`,
    });
    expect(await readdir(folder)).toEqual([OLD_LOCK]);
  });

  it.each([
    ['whose process is gone', JSON.stringify({ pid: 2 ** 22 + 1, start: 'x' })],
    ['whose number another process has now', JSON.stringify({ pid: process.pid, start: 'x' })],
    ['that is empty', ''],
    ['that is no lock at all', '[1, 2'],
    ['that is null', 'null'],
  ])('takes over a lock %s', async (_case, text) => {
    await writeLock(text);
    const lock = await lockDataFolder(folder);
    expect(await readdir(folder)).not.toContain(OLD_LOCK);
    await lock.release();
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('passes on as soon as it is released', async () => {
    const first = await lockDataFolder(folder);
    const second = lockDataFolder(folder);
    await first.release();
    await (await second).release();
  });
});
