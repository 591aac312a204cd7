import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { encodeFrame } from './frames.ts';
import { openSpool, type Spool } from './spool.ts';

let folder: string;
let dir: string;

beforeEach(async () => {
  folder = await makeTempFolder('spool');
  dir = join(folder, 'spool');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => Buffer.from(`delivery ${from + index}`));
const files = async () => (await readdir(dir)).filter((name) => name.includes('.spool'));

/** Reads the spool to its end, as a replay does. */
async function drain(spool: Spool): Promise<string[]> {
  const all: string[] = [];
  for (let next = await spool.oldest(); next !== null; next = await spool.oldest()) {
    all.push(...next.frames.payloads.map(String));
    await spool.finish(next.segment, next.frames.damaged === 0);
  }
  return all;
}

describe('the spool', () => {
  it('gives back what was appended, in order, also to the next process, and then is empty', async () => {
    const first = await openSpool(dir);
    expect(first.isEmpty()).toBe(true);
    await Promise.all(texts(50).map((text) => first.append([text])));
    await first.append(texts(10, 50));
    expect(first.isEmpty()).toBe(false);
    // No close: as after kill -9.
    const second = await openSpool(dir);
    expect(second.isEmpty()).toBe(false);
    expect(await drain(second)).toEqual(texts(60).map(String));
    expect(second.isEmpty()).toBe(true);
    expect(second.lost()).toBe(false);
    expect(await files()).toEqual([]);
    await first.close();
  });

  it('keeps its folder and files from other users', async () => {
    const spool = await openSpool(dir);
    await spool.append(texts(1));
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(dir)) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    await spool.close();
  });

  it('fills one segment after the other, and goes on in a new one while the oldest is read', async () => {
    const spool = await openSpool(dir, { capBytes: 100_000, segmentBytes: 100 });
    for (const text of texts(20)) await spool.append([text]);
    expect((await files()).length).toBeGreaterThan(3);
    const oldest = await spool.oldest();
    await spool.append(texts(1, 20));
    expect(oldest?.frames.payloads.map(String)).not.toContain('delivery 20');
    expect(await drain(spool)).toEqual(texts(21).map(String));
    await spool.close();
  });

  it('says when what comes now would be behind something unread', async () => {
    const spool = await openSpool(dir);
    await spool.append(texts(1));
    expect(spool.isGrowing()).toBe(true);
    const oldest = await spool.oldest();
    expect(spool.isGrowing()).toBe(false);
    expect(spool.isEmpty()).toBe(false);
    if (oldest !== null) await spool.finish(oldest.segment, true);
    expect(spool.isEmpty()).toBe(true);
    await spool.close();
  });

  it('refuses what does not fit, keeps what does, and remembers the loss until it is told off, over a restart too', async () => {
    const size = encodeFrame(texts(1)[0] ?? Buffer.alloc(0)).length;
    const spool = await openSpool(dir, { capBytes: 3 * size, segmentBytes: 1000 });
    const outcomes = await Promise.allSettled(texts(5).map((text) => spool.append([text])));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(outcomes[4]).toMatchObject({ reason: { code: 'spool_full' } });
    expect(spool.lost()).toBe(true);
    const next = await openSpool(dir);
    expect(next.lost()).toBe(true);
    expect(await drain(next)).toEqual(texts(3).map(String));
    expect(next.lost()).toBe(true);
    await next.clear(next.losses());
    expect(next.lost()).toBe(false);
    expect((await openSpool(dir)).lost()).toBe(false);
    await spool.close();
  });

  it('does not forget what was lost while gates were being shut for an earlier loss', async () => {
    const spool = await openSpool(dir);
    await spool.set();
    const told = spool.losses();
    await spool.set();
    await spool.clear(told);
    expect([spool.lost(), (await openSpool(dir)).lost()]).toEqual([true, true]);
    const clearing = spool.clear(spool.losses());
    await spool.set();
    await clearing;
    expect([spool.lost(), (await openSpool(dir)).lost()]).toEqual([true, true]);
    await spool.clear(spool.losses());
    expect([spool.lost(), (await openSpool(dir)).lost()]).toEqual([false, false]);
  });

  it('is done with a segment that is gone, although the folder could not be synced', async () => {
    const spool = await openSpool(dir);
    await spool.append(texts(1));
    const next = await spool.oldest();
    await rm(dir, { recursive: true });
    await expect(spool.finish(next?.segment as never, true)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(spool.isEmpty()).toBe(true);
  });

  it('tells of a disk that refuses, and goes on when it takes writes again', async () => {
    const spool = await openSpool(dir);
    await rm(dir, { recursive: true });
    await expect(spool.append(texts(1))).rejects.toMatchObject({ code: 'spool_failed' });
    expect(spool.lost()).toBe(true);
    await openSpool(dir);
    await spool.append(texts(1, 1));
    expect(await drain(spool)).toEqual(['delivery 1']);
    await spool.close();
  });

  it('takes an end that is cut off for damage, keeps what is before it, and its file', async () => {
    const spool = await openSpool(dir);
    await spool.append(texts(3));
    await spool.close();
    const [name = ''] = await files();
    await appendFile(join(dir, name), encodeFrame(Buffer.from('cut off')).subarray(0, 15));
    const next = await openSpool(dir);
    expect((await next.oldest())?.frames).toMatchObject({ damaged: 1 });
    expect(await drain(next)).toEqual(texts(3).map(String));
    expect(await files()).toEqual([`${name}.damaged`]);
  });

  it('moves a damaged segment aside when the rest of it was read, and never deletes it or takes its number again', async () => {
    const spool = await openSpool(dir);
    await spool.append(texts(3));
    await spool.close();
    const [name = ''] = await files();
    const bytes = await readFile(join(dir, name));
    const at = bytes.indexOf('delivery 1');
    bytes[at] = 0;
    await writeFile(join(dir, name), bytes);
    const next = await openSpool(dir);
    expect((await next.oldest())?.frames.damaged).toBe(1);
    expect(await drain(next)).toEqual(['delivery 0', 'delivery 2']);
    expect(await files()).toEqual([`${name}.damaged`]);
    const later = await openSpool(dir);
    expect(later.isEmpty()).toBe(true);
    await later.append(texts(1));
    expect(new Set(await files()).size).toBe(2);
    await later.close();
  });
});
