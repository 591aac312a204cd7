import { RECONCILIATION_TABLE } from '@tidegate/core';
import { describe, expect, it } from 'vitest';
import { tellContract, tellEntry, tellReason, tellTry } from './callback-words.ts';

const TRY = { number: 1, startedAt: new Date(), finishedAt: null, disprovedAt: null, status: null } as const;

describe('the words of a callback', () => {
  it('tell every reconciliation, and no code', () => {
    for (const entry of RECONCILIATION_TABLE) {
      const said = tellEntry({ ...entry, id: 'rec_a', decidedAt: new Date() });
      expect(said).toMatch(/^[A-Z][A-Za-z ,]+: [a-z ]+\. So [a-z ]+\.$/);
      expect(tellReason(entry.reason)).not.toBe(entry.reason.replaceAll('_', ' '));
    }
    expect(tellReason('of_a_newer_version')).toBe('of a newer version');
  });

  it('tell a try and a contract in sentences', () => {
    expect(tellTry({ ...TRY, phase: 'maybe_received', reason: 'reset', latencyMs: 15 })).toBe(
      'Try 1 may have been received after 15 ms: the connection broke.',
    );
    expect(tellTry({ ...TRY, phase: 'answered', reason: 'answered', latencyMs: 12, status: 204 })).toBe(
      'Try 1 was answered with 204 after 12 ms.',
    );
    expect(tellTry({ ...TRY, phase: null, reason: null, latencyMs: null })).toBe('Try 1 is under way.');
    expect(tellContract({ safety: 'unsafe', repeat: 'forbidden' })).toBe(
      'It changes something at its destination; it must not be sent twice.',
    );
  });
});
