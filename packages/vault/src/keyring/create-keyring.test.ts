import { spawn } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOpeningKeyring } from '../opening/load-opening-keyring.ts';
import { createKeyring } from './create-keyring.ts';
import { KEY_FILE_NAMES } from './key-file.ts';
import { loadKeyring } from './load-keyring.ts';

const FILES = Object.values(KEY_FILE_NAMES);
let base: string;
let dir: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
  dir = join(base, 'data', 'keyring');
});
afterEach(() => rm(base, { recursive: true }));

async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  );
}

describe('createKeyring', () => {
  it('makes one file per key, 0600 in a 0700 folder, whatever the umask, each named *key*', async () => {
    const umask = process.umask(0);
    try {
      expect(await createKeyring(dir)).toEqual({ created: true });
    } finally {
      process.umask(umask);
    }
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    const names = await readdir(dir);
    expect(names.sort()).toEqual([...FILES].sort());
    for (const name of names) {
      expect(name).toContain('key');
      expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('is restrictive under a restrictive umask and in a folder that was open to all', async () => {
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o777);
    const umask = process.umask(0o277);
    try {
      await createKeyring(dir);
    } finally {
      process.umask(umask);
    }
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of FILES) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  });

  it('leaves an existing keyring as it is', async () => {
    await createKeyring(dir);
    const before = await contents(dir);
    expect(await createKeyring(dir)).toEqual({ created: false });
    expect(await contents(dir)).toEqual(before);
  });

  it('makes different keys each time, and no key twice in one keyring', async () => {
    await createKeyring(dir);
    await createKeyring(join(base, 'other'));
    const texts = [...Object.values(await contents(dir)), ...Object.values(await contents(join(base, 'other')))];
    const keys = texts.map((text) => JSON.parse(text).versions[0].key);
    expect(new Set(keys).size).toBe(FILES.length * 2);
  });

  it('works in a folder that already holds other files', async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'notes.txt'), 'mine');
    expect(await createKeyring(dir)).toEqual({ created: true });
    expect(await readFile(join(dir, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('says keyring_not_writable where it cannot write', async () => {
    await writeFile(join(base, 'file'), '');
    await expect(createKeyring(join(base, 'file', 'keyring'))).rejects.toMatchObject({
      code: 'keyring_not_writable',
      publicMessage: expect.stringMatching(/^The keyring cannot be written to the data folder \([A-Z]+\)\.$/),
    });
    await expect(createKeyring(join(base, 'file'))).rejects.toMatchObject({ code: 'keyring_not_writable' });
  });
});

describe('createKeyring in several processes at once', () => {
  it('lets exactly one set of keys win among concurrent calls in one process', async () => {
    for (let round = 0; round < 10; round += 1) {
      const folder = join(base, `round-${round}`);
      const answers = await Promise.all(Array.from({ length: 12 }, () => createKeyring(folder)));
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      await expectWholeKeyring(folder);
    }
  });

  it('lets exactly one set of keys win among processes', async () => {
    const rounds = 25;
    const children = await Promise.all(Array.from({ length: 4 }, () => spawnCreators(base, rounds)));
    await writeFile(join(base, 'go'), '');
    const answers = await Promise.all(children.map((child) => child.answers));
    for (let round = 0; round < rounds; round += 1) {
      expect(answers.filter((created) => created[round] === true)).toHaveLength(1);
      await expectWholeKeyring(join(base, `keyring-${round}`));
    }
  }, 240_000);

  it('finishes what a process that died half-way began, at whatever point it died', async () => {
    for (let linked = 0; linked <= FILES.length; linked += 1) {
      const folder = join(base, `died-${linked}`);
      const claim = join(folder, '.claimed-keyring');
      await createKeyring(claim);
      for (const name of FILES.slice(0, linked)) await link(join(claim, name), join(folder, name));
      const decided = await contents(claim);
      const { created } = await createKeyring(folder);
      expect(created).toBe(linked < FILES.length);
      expect(await contents(folder)).toEqual(decided);
    }
  });

  it('does not let a claim that comes too late replace a key', async () => {
    await createKeyring(dir);
    const before = await contents(dir);
    await createKeyring(join(dir, '.claimed-keyring'));
    expect(await createKeyring(dir)).toEqual({ created: false });
    expect(await contents(dir)).toEqual(before);
  });

  it('never fills a gap in a keyring with a key of another one', async () => {
    await createKeyring(dir);
    await createKeyring(join(dir, '.claimed-keyring'));
    await unlink(join(dir, KEY_FILE_NAMES.lookup));
    await expect(createKeyring(dir)).rejects.toMatchObject({ code: 'keyring_corrupt' });
  });
});

async function expectWholeKeyring(folder: string): Promise<void> {
  expect((await readdir(folder)).sort()).toEqual([...FILES].sort());
  const keyring = await loadKeyring(folder);
  expect([...(await loadOpeningKeyring(folder)).privateKeys.keys()]).toEqual([keyring.recipient.id]);
}

/** A process that waits for the file `go` and then creates `rounds` keyrings one after the other. */
async function spawnCreators(folder: string, rounds: number): Promise<{ answers: Promise<boolean[]> }> {
  const module = new URL('./create-keyring.ts', import.meta.url).href;
  const script = `
    import { existsSync } from 'node:fs';
    import { createKeyring } from ${JSON.stringify(module)};
    process.stdout.write('ready\\n');
    while (!existsSync(${JSON.stringify(join(folder, 'go'))})) await new Promise(setImmediate);
    const answers = [];
    for (let round = 0; round < ${rounds}; round += 1) {
      answers.push((await createKeyring(${JSON.stringify(join(folder, 'keyring-'))} + round)).created);
    }
    process.stdout.write(JSON.stringify(answers) + '\\n');
  `;
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script],
    {
      cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.startsWith('ready\n')) resolve();
    });
    void ended.then((code) => reject(new Error(`a creator ended with ${code} before it was ready`)));
  });
  return {
    answers: ended.then((code) => {
      expect(code).toBe(0);
      return JSON.parse(output.slice('ready\n'.length)) as boolean[];
    }),
  };
}
