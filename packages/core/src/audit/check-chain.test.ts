import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEntry, AuditHead, ChainedAuditRow, SignAudit } from '../model/audit-row.ts';
import { type ChainCheck, checkChain, checkReach } from './check-chain.ts';

const sign: SignAudit = (row, previous) =>
  createHmac('sha256', 'invented')
    .update(JSON.stringify(row))
    .update(previous ?? '')
    .digest();

const entryArb: fc.Arbitrary<AuditEntry> = fc.record({
  actor: fc.string(),
  action: fc.constantFrom('gate.hold', 'vault.reveal'),
  target: fc.string(),
  reason: fc.option(fc.string()),
  facts: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
});

function chain(entries: readonly AuditEntry[]): ChainedAuditRow[] {
  const rows: ChainedAuditRow[] = [];
  for (const [index, entry] of entries.entries()) {
    const { actor, action, target, reason, facts } = entry;
    const row = { seq: index + 1, at: `2026-11-30T00:00:${index}Z`, actor, action, target, reason, facts };
    rows.push({ ...row, mac: sign(row, rows.at(-1)?.mac ?? null) });
  }
  return rows;
}

function check(rows: readonly ChainedAuditRow[], known: AuditHead | null = null): ChainCheck {
  const sorted = [...rows].sort((a, b) => a.seq - b.seq);
  return checkReach(checkChain(sorted, null, sign, known), known);
}

const trailArb = fc.array(entryArb, { minLength: 2, maxLength: 12 }).map(chain);
const at = (rows: readonly ChainedAuditRow[], pick: number) => rows[pick % rows.length] as ChainedAuditRow;

describe('a trail', () => {
  it('as it was written is intact, read in pages of any size', () => {
    fc.assert(
      fc.property(trailArb, fc.integer({ min: 1, max: 5 }), (rows, size) => {
        let read: ChainCheck = { kind: 'intact', head: null };
        for (let from = 0; from < rows.length && read.kind === 'intact'; from += size) {
          read = checkChain(rows.slice(from, from + size), read.head, sign);
        }
        expect(read).toEqual({ kind: 'intact', head: { seq: rows.length, mac: rows.at(-1)?.mac } });
      }),
    );
  });

  it('shows a changed row, and which', () => {
    const changes: ((row: ChainedAuditRow) => ChainedAuditRow)[] = [
      (row) => ({ ...row, actor: `${row.actor}!` }),
      (row) => ({ ...row, action: row.action === 'gate.hold' ? 'vault.reveal' : 'gate.hold' }),
      (row) => ({ ...row, target: `${row.target}!` }),
      (row) => ({ ...row, reason: row.reason === null ? '' : null }),
      (row) => ({ ...row, at: '2026-11-29T00:00:00Z' }),
      (row) => ({ ...row, facts: { ...row.facts, more: 1 } }),
      (row) => ({ ...row, mac: row.mac.map((byte, index) => (index === 3 ? byte ^ 1 : byte)) }),
    ];
    fc.assert(
      fc.property(trailArb, fc.nat(), fc.nat(changes.length - 1), (rows, pick, which) => {
        const odd = at(rows, pick);
        const seen = check(rows.map((row) => (row === odd ? (changes[which]?.(row) ?? row) : row)));
        expect(seen).toEqual({ kind: 'broken', seq: odd.seq, flaw: 'changed' });
      }),
    );
  });

  it('shows a row removed from the middle, renumbered or not', () => {
    fc.assert(
      fc.property(trailArb, fc.nat(), fc.boolean(), (rows, pick, renumbered) => {
        const gone = at(rows.slice(0, -1), pick).seq;
        const left = rows.filter((row) => row.seq !== gone);
        const seen = check(
          renumbered ? left.map((row) => (row.seq > gone ? { ...row, seq: row.seq - 1 } : row)) : left,
        );
        expect(seen).toEqual({ kind: 'broken', seq: gone, flaw: renumbered ? 'changed' : 'missing' });
      }),
    );
  });

  it('shows two rows that changed places', () => {
    fc.assert(
      fc.property(trailArb, fc.nat(), fc.nat(), (rows, first, second) => {
        const [a, b] = [at(rows, first), at(rows, second)];
        fc.pre(a.seq !== b.seq);
        const swapped = rows.map((row) => (row === a ? { ...b, seq: a.seq } : row === b ? { ...a, seq: b.seq } : row));
        expect(check(swapped)).toEqual({ kind: 'broken', seq: Math.min(a.seq, b.seq), flaw: 'changed' });
      }),
    );
  });

  it('shows a cut tail, and a tail written anew, to whoever knows a head of before', () => {
    fc.assert(
      fc.property(trailArb, fc.nat(), entryArb, (rows, pick, other) => {
        const known = at(rows.slice(1), pick);
        const left = rows.slice(0, known.seq - 1);
        expect(check(left)).toMatchObject({ kind: 'intact' });
        expect(check(left, known)).toEqual({ kind: 'broken', seq: known.seq, flaw: 'cut' });
        const forged = chain([...left, { ...other, target: `${known.target}?` }]);
        expect(check(forged, known)).toEqual({ kind: 'broken', seq: known.seq, flaw: 'other_head' });
        expect(check(rows, known)).toMatchObject({ kind: 'intact' });
      }),
    );
  });

  it('that is empty is intact, unless a head of it is known', () => {
    expect(check([])).toEqual({ kind: 'intact', head: null });
    expect(check([], { seq: 3, mac: Buffer.alloc(32) })).toEqual({ kind: 'broken', seq: 1, flaw: 'cut' });
  });
});
