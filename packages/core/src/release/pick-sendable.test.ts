import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { pickSendable, type WaitingCallback } from './pick-sendable.ts';

const OPEN = { allowed: true, heldByHand: false, generation: 3 };
const NOW = 1000;

function waiting(id: string, change: Partial<WaitingCallback> = {}): WaitingCallback {
  return {
    ...{ id, state: 'queued', createdAtMs: Number(id), generation: 3, orderingKey: null, dueAtMs: 0 },
    ...{ deadlineAtMs: null, passesHeld: false },
    ...change,
  };
}

const pick = (...callbacks: WaitingCallback[]) => pickSendable(callbacks, OPEN, NOW);

describe('pickSendable', () => {
  it('takes the first of each ordering key, in order of creation', () => {
    const a = { orderingKey: 'a' };
    expect(pick(waiting('2', a), waiting('1', a), waiting('3'), waiting('4', { orderingKey: 'b' }))).toEqual([
      '1',
      '3',
      '4',
    ]);
  });

  it.each(['held', 'queued', 'sending', 'retrying', 'ambiguous'] as const)(
    'lets a head that is %s and not due block its key, and no other',
    (state) => {
      const head = waiting('1', { orderingKey: 'a', state, dueAtMs: null });
      expect(pick(head, waiting('2', { orderingKey: 'a' }), waiting('3', { orderingKey: 'b' }))).toEqual(['3']);
    },
  );

  it.each(['delivered', 'failed', 'cancelled', 'expired'] as const)('passes a head that is %s', (state) => {
    expect(pick(waiting('1', { orderingKey: 'a', state }), waiting('2', { orderingKey: 'a' }))).toEqual(['2']);
  });

  it('passes a stuck head at its deadline, but not while its attempt is under way', () => {
    const head = { orderingKey: 'a', deadlineAtMs: NOW };
    expect(pick(waiting('1', { ...head, state: 'needs_review' }), waiting('2', { orderingKey: 'a' }))).toEqual(['2']);
    expect(pick(waiting('1', { ...head, state: 'sending' }), waiting('2', { orderingKey: 'a' }))).toEqual([]);
  });

  it('lets nothing of a key begin beside an attempt under way, wherever that stands in its order', () => {
    const later = waiting('2', { orderingKey: 'a', state: 'sending' });
    expect(pick(waiting('1', { orderingKey: 'a', state: 'retrying' }), later, waiting('3'))).toEqual(['3']);
  });

  it('is blocked by a head that waits for a person only while that has a deadline ahead', () => {
    const head = waiting('1', { orderingKey: 'a', state: 'needs_review' });
    expect(pick(head, waiting('2', { orderingKey: 'a' }))).toEqual(['2']);
    expect(pick({ ...head, deadlineAtMs: NOW + 1 }, waiting('2', { orderingKey: 'a' }))).toEqual([]);
  });

  it('takes nothing that is not due, or past its deadline', () => {
    expect(
      pick(waiting('1', { dueAtMs: NOW + 1 }), waiting('2', { deadlineAtMs: NOW }), waiting('3', { dueAtMs: NOW })),
    ).toEqual(['3']);
  });

  it(
    verifies('I7', 'takes nothing that was released under another generation, and nothing while the gate is shut'),
    () => {
      expect(pick(waiting('1', { generation: 2 }), waiting('2', { generation: 4 }))).toEqual([]);
      expect(pickSendable([waiting('1')], { ...OPEN, allowed: false }, NOW)).toEqual([]);
      expect(pickSendable([waiting('1', { state: 'held' })], OPEN, NOW)).toEqual([]);
    },
  );

  it('lets pass what is declared to, unless a person holds the gate', () => {
    const safe = waiting('1', { passesHeld: true, generation: 1 });
    const shut = { ...OPEN, allowed: false };
    expect(pickSendable([safe, waiting('2')], shut, NOW)).toEqual(['1']);
    expect(pickSendable([safe], { ...shut, heldByHand: true }, NOW)).toEqual([]);
  });
});
