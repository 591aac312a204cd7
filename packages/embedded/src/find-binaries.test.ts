import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBinaries, restoreLibraryLinks } from './find-binaries.ts';

it('names the way out on a system without binaries', async () => {
  await expect(findBinaries('sunos-sparc')).rejects.toMatchObject({
    code: 'unsupported_platform',
    publicMessage:
      'The embedded Postgres does not run on this system (sunos-sparc); set DATABASE_URL to a PostgreSQL server of your own.',
  });
});

it('makes the library links that a skipped install script left out, and may be called again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-links-'));
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await mkdir(join(folder, 'native', 'lib'), { recursive: true });
  await writeFile(join(folder, 'native', 'lib', 'libpq.so.5.18'), '');
  await writeFile(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  await restoreLibraryLinks(folder);
  await restoreLibraryLinks(folder);
  expect(await readlink(join(folder, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  await rm(folder, { recursive: true });
});
