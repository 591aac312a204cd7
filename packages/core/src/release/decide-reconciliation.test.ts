import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { EVIDENCE, RECONCILED_STATES, RECONCILIATION_TABLE } from './decide-reconciliation.ts';

const rows = (facts: Partial<(typeof RECONCILIATION_TABLE)[number]>) =>
  RECONCILIATION_TABLE.filter((row) =>
    Object.entries(facts).every(([name, value]) => row[name as keyof typeof row] === value),
  );
const waiting = RECONCILIATION_TABLE.filter(({ state }) => state !== 'delivered' && state !== 'sending');

describe('the table of reconciliation', () => {
  it('has one row for every set of facts', () => {
    expect(RECONCILIATION_TABLE).toHaveLength(RECONCILED_STATES.length * EVIDENCE.length * 8);
    const facts = RECONCILIATION_TABLE.map(({ outcome: _, reason: __, action: ___, ...rest }) => JSON.stringify(rest));
    expect(new Set(facts).size).toBe(facts.length);
  });

  it('calls complete what was answered, and closes it', () => {
    for (const row of rows({ outcome: 'complete' })) expect(row).toMatchObject({ state: 'delivered', action: 'close' });
    for (const row of rows({ state: 'delivered' })) expect(row.outcome).toBe('complete');
  });

  it('leaves alone what is under way', () => {
    for (const row of rows({ state: 'sending' })) {
      expect(row).toMatchObject({ outcome: 'ambiguous', reason: 'in_flight', action: 'wait' });
    }
  });

  it.each([
    ['none', 'never_attempted'],
    ['not_sent', 'never_sent'],
    ['refused', 'refused_for_now'],
  ] as const)('calls not started, and sends, what has the evidence %s', (evidence, reason) => {
    for (const row of waiting.filter((one) => one.evidence === evidence)) {
      expect(row).toMatchObject({ outcome: 'not_started', reason, action: 'send' });
    }
  });

  it(verifies('I7', 'repeats what may have happened only where that is harmless or approved'), () => {
    const unknown = waiting.filter(({ evidence }) => ['unknown', 'server_error', 'approved'].includes(evidence));
    for (const row of unknown) {
      expect(row.outcome).toBe('ambiguous');
      if (row.action === 'resend') expect(row.repeat).toBe('deduplicated');
      if (row.action === 'send') expect(row.evidence).toBe('approved');
      if (row.evidence !== 'approved' && row.canLookUp) expect(row.action).toBe('look_up');
    }
    for (const row of rows({ repeat: 'forbidden', evidence: 'unknown', canLookUp: false, state: 'ambiguous' })) {
      expect(row.action).toBe('review');
    }
  });

  it(verifies('I9', 'repeats nothing whose attempts are used up'), () => {
    for (const row of waiting.filter((one) => !one.canRetry)) expect(row.action).not.toBe('resend');
    const [exhausted] = rows({
      state: 'ambiguous',
      evidence: 'unknown',
      repeat: 'deduplicated',
      canLookUp: false,
      canRetry: false,
    });
    expect(exhausted).toMatchObject({ reason: 'retries_exhausted', action: 'review' });
  });
});
