/**
 * What Tidegate promises, one line per id. A test proves a promise by citing it: `it(verifies('I5', 'order does not matter'), …)`.
 * `test/requirements.test.ts` turns red for a promise without a proof, and `test/sabotage` breaks each one on purpose.
 */
export const REQUIREMENTS: Readonly<Record<string, string>> = {
  I1: 'An observation answered 2xx is still there after every process was killed and the app host lost its power.',
  'I1.spool':
    'While Postgres is unreachable a delivery is answered 503 and kept sealed on disk, and is replayed before newer ones.',
  I2: 'After a Disconnected is answered 2xx, no later gate query allows a dependent service before a verification of the new generation passed.',
  'I2.heartbeat': 'While any registered receiver is silent, every gate is held, no gate opens and no send starts.',
  I3: 'No credential shows in a log, metric, trace, error, answer, URL, queue payload or plain column; unknown input counts as a credential.',
  'I3.notify': 'The last step before a notification leaves blacks out every secret that is known or looks like one.',
  I4: 'A correlation group has at most one open incident, whatever races.',
  I5: 'What is believed about a subject depends on the set of its observations, not on their order, repetition or delay.',
  I6: 'A gate opens only if its generation is still the one its verification began under; every veto raises the generation.',
  I7: 'A held callback is not sent; one with an unknown outcome is not sent again unless that is harmless or proven to be needed.',
  I8: 'The same idempotency key with the same payload has one effect and one recorded answer; with another payload it is rejected.',
  I9: 'Retries are bounded in number and in elapsed time, both counted in Postgres, so that a restart resets neither.',
  I10: 'A decision comes at most maxWait after the first unhandled observation, however much a subject flaps.',
  I11: 'An incident ends by a verification, by merging into another, or by a named person with a reason and an expiry.',
  I12: 'Losing Redis, a worker or an api instance loses no work and doubles no effect.',
  'I12.events':
    'Whoever follows the events is told each one once and in order, or that some are gone, whatever commits late and wherever it comes back.',
  'I12.notify':
    'What changes an incident leaves a note in its own transaction; what is decided to be told is delivered at least once, whatever is killed when.',
  I13: 'A lost webhook is noticed within two polls and one verification.',
};

/** Promises whose code does not exist yet, each with the reason. A promise on this list that some test cites turns the suite red. */
export const NOT_YET_BUILT: Readonly<Record<string, string>> = {};
