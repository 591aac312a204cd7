import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { createKeyring } from '../keyring/create-keyring.ts';
import { LOOKUP_PURPOSES } from '../keyring/keyring.ts';
import { loadKeyring } from '../keyring/load-keyring.ts';
import { fingerprintSubject, type SubjectName } from './fingerprint-subject.ts';
import { lookupHash } from './lookup-hash.ts';
import { type ObservedFact, observationKey } from './observation-key.ts';

const dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
await createKeyring(dir);
const keyring = await loadKeyring(dir);
const otherDir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
await createKeyring(otherDir);
const otherKeyring = await loadKeyring(otherDir);
afterAll(async () => {
  await rm(dir, { recursive: true });
  await rm(otherDir, { recursive: true });
});

const shortText = fc.string({
  unit: fc.constantFrom('a', 'b', '0', '\0', ' ', '\ud800', '\ud801', '\ufffd'),
  maxLength: 3,
});
const subjects: fc.Arbitrary<SubjectName> = fc.record({
  group: shortText,
  type: fc.constantFrom('device' as const, 'tunnel' as const),
  id: shortText,
});
const facts: fc.Arbitrary<ObservedFact> = fc
  .tuple(subjects, fc.constantFrom('connected' as const, 'disconnected' as const), shortText)
  .map(([subject, status, actionDateRaw]) => ({ ...subject, status, actionDateRaw }));

describe('fingerprintSubject', () => {
  it('gives equal subjects equal fingerprints and different ones different fingerprints', () => {
    fc.assert(
      fc.property(subjects, subjects, (left, right) => {
        const same = left.group === right.group && left.type === right.type && left.id === right.id;
        const equal = fingerprintSubject(keyring, left).value.equals(fingerprintSubject(keyring, right).value);
        expect(equal).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same after a restart and another one under another keyring', async () => {
    const subject: SubjectName = { group: 'home-lab', type: 'device', id: 'invented-token-1' };
    const fingerprint = fingerprintSubject(keyring, subject);
    expect(fingerprint.version).toBe(1);
    expect(fingerprint.value).toHaveLength(32);
    expect(fingerprintSubject(await loadKeyring(dir), subject)).toEqual(fingerprint);
    expect(fingerprintSubject(otherKeyring, subject).value.equals(fingerprint.value)).toBe(false);
  });

  it('finds a subject under an older key version, and refuses a version it does not hold', () => {
    const subject: SubjectName = { group: 'g', type: 'device', id: 'invented' };
    const newer = createSecretKey(Buffer.alloc(32, 7));
    const keys = new Map(keyring.fingerprint.keys).set(2, newer);
    const rotated = { ...keyring, fingerprint: { current: 2, keys } };
    expect(fingerprintSubject(rotated, subject).version).toBe(2);
    expect(fingerprintSubject(rotated, subject, 1)).toEqual(fingerprintSubject(keyring, subject));
    expect(observationKey(rotated, { ...subject, status: 'connected', actionDateRaw: '' })).toBe(
      observationKey(keyring, { ...subject, status: 'connected', actionDateRaw: '' }),
    );
    expect(() => fingerprintSubject(keyring, subject, 9)).toThrow(
      expect.objectContaining({ code: 'fingerprint_key_missing' }),
    );
  });
});

describe('observationKey', () => {
  it('gives exact repeats one key and different facts different keys', () => {
    fc.assert(
      fc.property(facts, facts, (left, right) => {
        const fields = ['group', 'type', 'id', 'status', 'actionDateRaw'] as const;
        const same = fields.every((field) => left[field] === right[field]);
        expect(observationKey(keyring, left) === observationKey(keyring, right)).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is a uuid of version 8 that is the same after a restart', async () => {
    const restarted = await loadKeyring(dir);
    fc.assert(
      fc.property(facts, (fact) => {
        const key = observationKey(keyring, fact);
        expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(observationKey(restarted, fact)).toBe(key);
      }),
    );
  });
});

describe('lookupHash', () => {
  it('hashes a text and its UTF-8 bytes alike, and different values differently', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LOOKUP_PURPOSES), shortText, shortText, (purpose, left, right) => {
        const hash = lookupHash(keyring, purpose, left);
        expect(hash).toHaveLength(32);
        expect(hash.equals(lookupHash(keyring, purpose, right))).toBe(left === right);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(lookupHash(keyring, 'payload', text)).toEqual(lookupHash(keyring, 'payload', Buffer.from(text)));
      }),
    );
  });

  it('keeps texts apart that UTF-8 would make equal', () => {
    const texts = ['\ud800', '\ud801', '\udc00', '\ufffd', 'a\ud800', 'a\ufffd'];
    const hashes = texts.map((text) => lookupHash(keyring, 'idempotency-key', text).toString('hex'));
    expect(new Set(hashes).size).toBe(texts.length);
  });

  it('hashes one value differently for each purpose and each keyring', () => {
    const hashes = LOOKUP_PURPOSES.flatMap((purpose) =>
      [keyring, otherKeyring].map((ring) => lookupHash(ring, purpose, 'same').toString('hex')),
    );
    expect(new Set(hashes).size).toBe(LOOKUP_PURPOSES.length * 2);
  });
});

describe('what is printed', () => {
  it(verifies('I3', 'a keyring shows no key when it is logged'), () => {
    const printed = inspect(keyring, { depth: 9, showHidden: true }) + JSON.stringify(keyring);
    for (const key of [...keyring.fingerprint.keys.values(), keyring.observation, keyring.lookup.payload.bytes]) {
      const bytes = key.export();
      for (const form of [bytes.toString('hex'), bytes.toString('base64'), inspect(bytes).slice(8, 60)]) {
        expect(printed).not.toContain(form);
      }
    }
  });
});
