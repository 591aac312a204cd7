import { describe, expect, it } from 'vitest';
import type { SafeName } from '../model/safe-name.ts';
import { type ToldEvent, tellEvent } from './tell-event.ts';

const told = (event: string, more: Partial<ToldEvent> = {}): ToldEvent => ({
  event,
  service: 'agent',
  reason: null,
  actor: null,
  words: null,
  why: null,
  ...more,
});

describe('the sentence of an event', () => {
  it('is the one of the timeline where there is one', () => {
    expect(tellEvent(told('incident.opened', { why: 'Opened as a device outage.' }))).toBe(
      'Opened as a device outage.',
    );
  });

  it.each<[ToldEvent, string]>([
    [told('gate.held', { reason: 'disconnected' }), 'The gate of agent was held, because a disconnect was received.'],
    [told('gate.opened', { reason: 'verified' }), 'The gate of agent opened after verification.'],
    [
      told('gate.held_by_hand', { actor: 'Ann' as SafeName, words: 'maintenance' as SafeName }),
      'The gate of agent was held by Ann: maintenance',
    ],
    [
      told('gate.forced_open', { actor: 'Ann' as SafeName, words: 'known to be fine' as SafeName }),
      'The gate of agent was forced open by Ann, without a verification: known to be fine',
    ],
    [told('callback.needs_review'), '1 callback of agent needs a person to decide.'],
    [told('callback.reviewed', { reason: 'cancelled' }), 'What becomes of a callback of agent is decided.'],
  ])('%o', (event, sentence) => {
    expect(tellEvent(event)).toBe(sentence);
  });
});
