import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { lockSpool } from './lock-spool.ts';

let folder: string;

beforeEach(async () => {
  folder = await makeTempFolder('lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Another process that holds a claim as `lockSpool` makes it. */
async function startHolder(path: string) {
  const code = `require('net').createServer((s) => s.destroy()).listen(${JSON.stringify(path)}, () => console.log('held'))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of a data folder', () => {
  it('is held by one at a time, and by the next when it is let go', async () => {
    const first = await lockSpool(folder);
    const refused = await lockSpool(folder).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'spool_in_use' });
    expect((refused as { publicMessage: string }).publicMessage).toContain(folder);
    await first.release();
    const next = await lockSpool(folder);
    await next.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('goes to at most one of many that try at once', async () => {
    const locks = await Promise.allSettled(Array.from({ length: 8 }, () => lockSpool(folder)));
    const held = locks.flatMap((lock) => (lock.status === 'fulfilled' ? [lock.value] : []));
    expect(held.length).toBeLessThanOrEqual(1);
    for (const lock of held) await lock.release();
  });

  it('is held by another process until that is killed, and is then taken over', async () => {
    const holder = await startHolder(join(folder, 'receiver-0123456789abcdef.sock'));
    await expect(lockSpool(folder)).rejects.toMatchObject({ code: 'spool_in_use' });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const lock = await lockSpool(folder);
    await lock.release();
  });

  it('is held as well where the path of the folder is too long for a socket', async () => {
    const deep = join(folder, 'a'.repeat(90));
    await mkdir(deep);
    const first = await lockSpool(deep);
    await expect(lockSpool(deep)).rejects.toMatchObject({ code: 'spool_in_use' });
    await first.release();
    await (await lockSpool(deep)).release();
  });
});
