import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import * as sealSide from './index.ts';
import { KEY_FILE_NAMES } from './keyring/key-file.ts';
import * as openSide from './open.ts';

const touched = vi.hoisted(() => [] as string[]);
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<Record<string, unknown>>();
  const recorded = Object.entries(original).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const call = (...args: unknown[]) => {
      touched.push(String(args[0]));
      return value(...args);
    };
    return [name, call];
  });
  return Object.fromEntries(recorded);
});

const PRIVATE = KEY_FILE_NAMES.sealingPrivate;
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
  await sealSide.createKeyring(dir);
});
afterEach(() => rm(dir, { recursive: true }));

async function sealOne(): Promise<Buffer> {
  const keyring = await sealSide.loadKeyring(dir);
  const sealer = sealSide.createSealer({ keyring, saveDataKey: async () => {}, now: () => 0 });
  await sealer.ready();
  return sealer.seal('invented-token', { row: 'r', purpose: 'subject-id' });
}

describe('the seal side', () => {
  it(verifies('I3', 'never touches the private sealing key file, not even to look whether it is there'), async () => {
    touched.length = 0;
    await sealOne();
    expect(touched.filter((path) => path.startsWith(dir)).sort()).toEqual(
      Object.values(KEY_FILE_NAMES)
        .filter((name) => name !== PRIVATE)
        .map((name) => join(dir, name))
        .sort(),
    );
    touched.length = 0;
    await openSide.loadOpeningKeyring(dir);
    expect(touched).toContain(join(dir, PRIVATE));
  });

  it(verifies('I3', 'seals on a machine that does not hold the private key, or holds a broken one'), async () => {
    await writeFile(join(dir, PRIVATE), 'broken');
    expect(await sealOne()).toBeInstanceOf(Buffer);
    await unlink(join(dir, PRIVATE));
    expect(await sealOne()).toBeInstanceOf(Buffer);
  });

  it(
    verifies('I3', 'holds nothing that opens: no private key in the keyring, no opening code behind its exports'),
    async () => {
      const keyring = await sealSide.loadKeyring(dir);
      const privateKey: string = JSON.parse(await readFile(join(dir, PRIVATE), 'utf8')).versions[0].key;
      const bytes = Buffer.from(privateKey, 'base64url');
      const secrets = [...keyring.fingerprint.keys.values(), keyring.observation, keyring.audit].map((key) =>
        key.export(),
      );
      for (const purpose of Object.values(keyring.lookup))
        secrets.push(purpose.bytes.export(), purpose.codeUnits.export());
      for (const secret of [...secrets, Buffer.from(keyring.recipient.publicKey)])
        expect(secret.equals(bytes)).toBe(false);
      expect(inspect(keyring, { depth: 9 })).not.toContain(inspect(bytes).slice(8, 60));

      const reached = await importsFrom(fileURLToPath(new URL('./index.ts', import.meta.url)));
      expect([...reached].filter((path) => path.includes('/opening/') || path.endsWith('/open.ts'))).toEqual([]);
      const opening = await importsFrom(fileURLToPath(new URL('./open.ts', import.meta.url)));
      expect([...opening].filter((path) => path.includes('/opening/')).length).toBeGreaterThan(2);
      for (const path of reached)
        expect(await readFile(path, 'utf8')).not.toMatch(/createDecipheriv|hpkeSuite\.open|deserializePrivateKey/);
    },
  );

  it('exports exactly what is agreed, the open side apart', () => {
    expect(Object.keys(sealSide).sort()).toEqual([
      'auditSigner',
      'createKeyring',
      'createSealer',
      'dataKeyIdOf',
      'describeKeyring',
      'fingerprintSubject',
      'fingerprintVersions',
      'identifySubject',
      'loadKeyring',
      'lookupHash',
      'newAlias',
      'newApiKey',
      'newDeliveryId',
      'newId',
      'newPathSecret',
      'newSigningSecret',
      'observationKey',
      'otherFingerprints',
      'receivedAtMs',
      'redactWebhook',
      'watchKeyring',
    ]);
    expect(Object.keys(openSide).sort()).toEqual([
      'createOpener',
      'isOpeningFailure',
      'loadOpeningKeyring',
      'retireKeys',
      'rewrapDataKey',
      'rotateKeyring',
      'watchOpeningKeyring',
    ]);
  });
});

/** Every file of this package that a module reaches by relative imports, itself included. */
async function importsFrom(entry: string): Promise<Set<string>> {
  const reached = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const source = await readFile(path, 'utf8');
    for (const [, target] of source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      if (target !== undefined) waiting.push(join(dirname(path), target));
    }
  }
  return reached;
}
