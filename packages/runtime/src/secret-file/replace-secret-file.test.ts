import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureSecretFile } from './ensure-secret-file.ts';
import { replaceSecretFile } from './replace-secret-file.ts';

const dir = await mkdtemp(join(tmpdir(), 'tidegate-secret-'));
afterAll(() => rm(dir, { recursive: true }));

describe('replaceSecretFile', () => {
  it('puts the new secret in the place of the old one, for its owner only, and leaves no draft', async () => {
    await ensureSecretFile(dir, 'source-secret-x', () => 'invented-old');
    await replaceSecretFile(dir, 'source-secret-x', 'invented-new');
    expect(await ensureSecretFile(dir, 'source-secret-x', () => 'never')).toEqual({
      secret: 'invented-new',
      created: false,
    });
    expect((await stat(join(dir, 'source-secret-x'))).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(['source-secret-x']);
  });
});
