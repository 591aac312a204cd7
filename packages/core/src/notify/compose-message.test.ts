import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMessage } from './compose-message.ts';
import { cutText } from './cut-text.ts';
import type { IncidentSubject } from './notice-subject.ts';

const START = Date.UTC(2026, 10, 30, 3, 12);
const INCIDENT: IncidentSubject = {
  about: 'incident',
  id: 'inc_a',
  kind: 'device',
  summary: 'Device mac-mini is disconnected; held: research-agent.',
  firstBroken: 'device',
  brokenNow: 'device',
  step: 'Check that the device has power.',
  group: { alias: 'dev_a', name: 'mac-mini' },
  services: ['research-agent'],
  startedAtMs: START,
  endedAtMs: null,
  end: null,
  acknowledgedBy: null,
};
const COMPOSING = {
  kind: 'open',
  severity: 'critical',
  openedSeverity: 'critical',
  nowMs: START,
  pageUrl: null,
} as const;

describe('the words of a notification', () => {
  it('say what is wrong, which layer, and what to do', () => {
    expect(composeMessage(INCIDENT, COMPOSING)).toMatchObject({
      thread: 'inc_a',
      title: 'Device offline: mac-mini (research-agent)',
      lines: [
        'Device mac-mini is disconnected; held: research-agent.',
        'First broken layer: device.',
        'Next step: Check that the device has power.',
        'Incident inc_a, since 2026-11-30 03:12 UTC.',
      ],
      link: null,
    });
  });

  it('name no more services than anybody reads, and say how many there are', () => {
    const services = Array.from({ length: 5000 }, (_, index) => `agent-${index}`);
    const message = composeMessage({ ...INCIDENT, services }, COMPOSING);
    expect(message).toMatchObject({ servicesInAll: 5000, title: expect.stringContaining('and 4997 more') });
    expect(JSON.stringify(message).length).toBeLessThan(4000);
  });

  it('say how it ended', () => {
    const ended = { ...INCIDENT, endedAtMs: START + 720_000 };
    const lines = (end: IncidentSubject['end']) =>
      composeMessage({ ...ended, end }, { ...COMPOSING, kind: 'resolve' }).lines[0];
    expect(lines({ how: 'verified' })).toBe('A verification passed, after 12 min.');
    expect(lines({ how: 'merged', into: 'inc_b' })).toBe('Told as part of inc_b from now on, after 12 min.');
    expect(lines({ how: 'overridden', by: 'ada' })).toBe('Ended by hand by ada, without a verification, after 12 min.');
  });

  it('of a review name the service, the count and where to decide', () => {
    const review = {
      about: 'review',
      thread: 'rev_a',
      service: 'agent',
      waiting: 3,
      startedAtMs: START,
      endedAtMs: null,
    } as const;
    const message = composeMessage(review, { ...COMPOSING, kind: 'needs_review', pageUrl: 'https://t.example/' });
    expect(message).toMatchObject({
      title: 'Review needed: 3 callbacks of agent',
      link: 'https://t.example/callbacks?state=needs_review&service=agent',
    });
  });
});

describe('a cut text', () => {
  it('is short enough and never holds a part of a word', () => {
    const text = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 100 }), (words, longest) => {
        const whole = words.map((word) => word.replace(/\s/gu, 'x')).join(' ');
        const cut = cutText(whole, longest);
        expect(cut.length).toBeLessThanOrEqual(longest);
        if (cut === whole) return;
        const kept = cut
          .replace(/…$/, '')
          .trimEnd()
          .split(' ')
          .filter((word) => word !== '');
        expect(
          whole
            .split(' ')
            .filter((word) => word !== '')
            .slice(0, kept.length),
        ).toEqual(kept);
      }),
      { numRuns: 2000 },
    );
  });
});
