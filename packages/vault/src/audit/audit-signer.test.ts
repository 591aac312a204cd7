import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditRow } from '@tidegate/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createKeyring } from '../keyring/create-keyring.ts';
import { loadKeyring } from '../keyring/load-keyring.ts';
import { lookupHash } from '../naming/lookup-hash.ts';
import { auditSigner } from './audit-signer.ts';

const dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
await createKeyring(join(dir, 'one'));
await createKeyring(join(dir, 'other'));
const keyring = await loadKeyring(join(dir, 'one'));
const sign = auditSigner(keyring);
afterAll(() => rm(dir, { recursive: true }));

const rowArb: fc.Arbitrary<AuditRow> = fc.record({
  seq: fc.integer({ min: 1 }),
  at: fc.string(),
  actor: fc.string(),
  action: fc.constantFrom('gate.hold', 'vault.reveal'),
  target: fc.string(),
  reason: fc.option(fc.string()),
  facts: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
});
const macArb = fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }));

describe('the MAC of an audit row', () => {
  it('is the same for the same row, whatever order its facts come in', () => {
    fc.assert(
      fc.property(rowArb, macArb, (row, previous) => {
        const reversed = { ...row, facts: Object.fromEntries(Object.entries(row.facts).reverse()) };
        expect(sign(reversed, previous)).toEqual(sign(row, previous));
        expect(sign(row, previous)).toHaveLength(32);
      }),
    );
  });

  it('differs for different rows, and for the same row in another place', () => {
    fc.assert(
      fc.property(rowArb, rowArb, macArb, macArb, (a, b, before, other) => {
        const same = JSON.stringify([a, before]) === JSON.stringify([b, other]);
        expect(Buffer.from(sign(a, before)).equals(sign(b, other))).toBe(same);
      }),
    );
    const row = { seq: 1, at: 'x', actor: 'a', action: 'gate.hold', target: 't', reason: null, facts: {} } as const;
    expect(sign(row, null)).not.toEqual(sign({ ...row, reason: '' }, null));
    expect(sign({ ...row, actor: 'ab', target: 'c' }, null)).not.toEqual(
      sign({ ...row, actor: 'a', target: 'bc' }, null),
    );
  });

  it('needs the keyring, and a key that no look-up uses', async () => {
    const row = { seq: 1, at: 'x', actor: 'a', action: 'gate.hold', target: 't', reason: null, facts: {} } as const;
    const other = auditSigner(await loadKeyring(join(dir, 'other')));
    expect(other(row, null)).not.toEqual(sign(row, null));
    const hashes = (['source-secret', 'api-key', 'payload'] as const).map((purpose) =>
      lookupHash(keyring, purpose, 'x'),
    );
    const { createHmac } = await import('node:crypto');
    const ours = createHmac('sha256', keyring.audit).update('x').digest();
    for (const hash of hashes) expect(hash).not.toEqual(ours);
  });
});
