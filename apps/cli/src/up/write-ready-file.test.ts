import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ReadyFile, writeReadyFile } from './write-ready-file.ts';

const content = { adminKey: 'invented' } as ReadyFile;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-ready-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the ready file', () => {
  it('is for its owner only, in a folder that may be missing, and leaves no draft', async () => {
    const path = join(folder, 'new', 'ready.json');
    await writeReadyFile(path, content);
    await writeReadyFile(path, { ...content, adminKey: 'another' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ adminKey: 'another' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'new'))).toEqual(['ready.json']);
  });

  it('that cannot be written is named in one sentence', async () => {
    const path = join(folder, 'ready.json');
    await mkdir(path);
    await expect(writeReadyFile(path, content)).rejects.toMatchObject({
      code: 'ready_file_unwritable',
      publicMessage: `The ready file ${path} cannot be written (EISDIR); choose another place with --ready-file.`,
    });
    expect(await readdir(folder)).toEqual(['ready.json']);
  });
});
