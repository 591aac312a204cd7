import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { rememberSources } from './remembered-sources.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTempFolder('remembered');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const source = (id: number) => ({
  id,
  name: `source ${id}`,
  group: 'home-lab',
  timeZone: 'Europe/Berlin',
  lookupHash: Buffer.alloc(32, id),
});

describe('remembered sources', () => {
  it('are those that were saved last, for the next process too', async () => {
    const first = rememberSources(folder);
    expect(await first.load()).toBeNull();
    await first.save([source(1)]);
    await first.save([source(1), source(2)]);
    expect(await rememberSources(folder).load()).toEqual([source(1), source(2)]);
    expect(await readdir(folder)).toEqual(['sources.json']);
    expect((await stat(join(folder, 'sources.json'))).mode & 0o777).toBe(0o600);
  });

  it('are not made up from a file that cannot be read', async () => {
    await writeFile(join(folder, 'sources.json'), '[{"id":1,');
    expect(await rememberSources(folder).load()).toBeNull();
  });
});
