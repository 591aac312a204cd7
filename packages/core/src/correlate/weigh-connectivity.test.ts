import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type ConnectivityFacts, weighConnectivity } from './weigh-connectivity.ts';

const status = fc.constantFrom('connected', 'disconnected' as const);
const told = fc.record({ by: fc.constantFrom('webhook', 'poll' as const), at: fc.nat(20), status });
type Told = typeof told extends fc.Arbitrary<infer T> ? T : never;

/** What the store keeps of a history: the greatest of each kind, as the view's fold and the newest poll do. */
function keep(history: readonly Told[]): ConnectivityFacts {
  const newest = (by: Told['by']) =>
    history
      .filter((item) => item.by === by)
      .sort((a, b) => a.at - b.at || Number(a.status === 'disconnected') - Number(b.status === 'disconnected'))
      .at(-1);
  const webhook = newest('webhook');
  const poll = newest('poll');
  return {
    view: webhook === undefined ? null : { status: webhook.status, knownAt: webhook.at, answered: false },
    suspectDisconnected: false,
    poll: poll === undefined ? null : { status: poll.status, askedAt: poll.at },
  };
}

describe('weighConnectivity', () => {
  it(verifies('I5', 'believes what was learnt last, whoever said it and in whatever order it is listed'), () => {
    fc.assert(
      fc.property(
        fc.array(told, { maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        (given, order) => {
          const last = Math.max(...given.map(({ at }) => at));
          const final = given.filter(({ at }) => at === last);
          const expected =
            final.length === 0
              ? null
              : final.some((item) => item.status === 'disconnected')
                ? 'disconnected'
                : 'connected';
          const shuffled = given
            .map((item, index) => ({ item, key: order[index] ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
          expect(weighConnectivity(keep(given)).status).toBe(expected);
          expect(weighConnectivity(keep([...shuffled, ...given]))).toEqual(weighConnectivity(keep(given)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('names a witness that said so, a webhook before a poll', () => {
    fc.assert(
      fc.property(fc.array(told, { maxLength: 12 }), (given) => {
        const facts = keep(given);
        const { status: believed, by } = weighConnectivity(facts);
        if (by === 'webhook') expect(facts.view?.status).toBe(believed);
        if (by === 'poll') expect([facts.poll?.status, facts.view?.status === believed]).toEqual([believed, false]);
        if (by === null) expect(given).toEqual([]);
      }),
    );
  });

  it('holds a suspect Disconnected against every poll, and an answered one for connected', () => {
    fc.assert(
      fc.property(fc.array(told, { maxLength: 12 }), (given) => {
        const facts = keep(given);
        expect(weighConnectivity({ ...facts, suspectDisconnected: true })).toEqual({
          status: 'disconnected',
          by: 'webhook',
        });
        const { view } = facts;
        if (view === null) return;
        const answered = weighConnectivity({ ...facts, view: { ...view, answered: true } });
        expect(answered).toEqual(weighConnectivity({ ...facts, view: { ...view, status: 'connected' } }));
      }),
    );
  });
});
