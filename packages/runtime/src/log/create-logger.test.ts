import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { createLogger, type Log } from './create-logger.ts';
import { EVENT_CATALOG, type LogEvent, type LogFields } from './event-catalog.ts';

const CANARY = 'Canary 7f/3?k=1';

function capture(level: 'info' | 'debug' = 'info'): { log: Log; text: () => string; lines: () => unknown[] } {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  return {
    log: createLogger({ app: 'receiver', level, destination }),
    text: () => written.join(''),
    lines: () => written.map(parseLine),
  };
}

const parseLine = (line: string): unknown => JSON.parse(line);

/** Lets a test hand the logger what the type checker would refuse. */
const untyped = (fields: Record<string, unknown>) => fields as LogFields<LogEvent>;
const events = Object.keys(EVENT_CATALOG) as LogEvent[];

describe('a log line', () => {
  it('is one JSON object with level, time, app, pid, event and the fields of the event', () => {
    const { log, lines } = capture();
    log.info('observation.recorded', {
      observation: 'obs_0b1f7c9e-0000-4000-8000-000000000001',
      source: 'home-lab',
      type: 'tunnel',
      status: 'disconnected',
      repeat: false,
      count: 3,
    });
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        app: 'receiver',
        pid: process.pid,
        event: 'observation.recorded',
        observation: 'obs_0b1f7c9e-0000-4000-8000-000000000001',
        source: 'home-lab',
        type: 'tunnel',
        status: 'disconnected',
        repeat: false,
        count: 3,
      },
    ]);
  });

  it('is left out below the level', () => {
    const { log, lines } = capture();
    log.debug('pending.armed', { groups: 1 });
    expect(lines()).toEqual([]);
  });

  it(verifies('I3', 'drops every field that the event does not list'), () => {
    const { log, text } = capture();
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.dictionary(fc.string(), fc.constant(CANARY)), (event, fields) => {
        const listed = new Set(Object.keys(EVENT_CATALOG[event]));
        const unlisted = Object.fromEntries(Object.entries(fields).filter(([name]) => !listed.has(name)));
        log.info(event, untyped({ ...unlisted, url: CANARY, headers: { authorization: CANARY }, msg: CANARY }));
      }),
    );
    expect(text()).not.toContain(CANARY);
  });

  it(verifies('I3', 'drops values that are not of their kind, so a misplaced secret is not logged'), () => {
    const { log, text } = capture();
    const secrets = [
      CANARY,
      'tdg_abcdefghijklmnop2345',
      'whsec_aW52ZW50ZWQ',
      'https://user:Canary7f@example.org/hook',
      { code: CANARY },
      [CANARY],
    ];
    for (const event of events) {
      const strict = Object.entries(EVENT_CATALOG[event]).filter(([, kind]) => kind !== 'name');
      for (const secret of secrets) {
        log.info(event, untyped(Object.fromEntries(strict.map(([name]) => [name, secret]))));
      }
    }
    for (const part of ['anary', 'tdg_', 'whsec_', 'example.org']) {
      expect(text()).not.toContain(part);
    }
  });

  it(verifies('I3', 'reduces an error to its code'), () => {
    const { log, lines, text } = capture();
    const cause = new Error(CANARY);
    log.error('app.failed', {
      error: Object.assign(new Error(CANARY, { cause }), { code: 'ECONNRESET', url: CANARY }),
    });
    log.error('app.failed', { error: Object.assign(new Error(CANARY), { code: CANARY }) });
    log.error('app.failed', { error: CANARY });
    expect(lines().map((line) => (line as { error: unknown }).error)).toEqual([
      { code: 'ECONNRESET' },
      { code: 'unexpected' },
      { code: 'unexpected' },
    ]);
    expect(text()).not.toContain(CANARY);
  });

  it('keeps names on one line, without control or bidi characters, 200 characters at most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const { log, lines, text } = capture();
        log.info('source.seen', { source: `a\u001b[31m\u202e${name}` });
        expect(text().match(/\n/g)).toHaveLength(1);
        const { source } = lines()[0] as { source: string };
        expect(source.length).toBeLessThanOrEqual(200);
        expect(source).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });

  it('survives fields that cannot be read as data', () => {
    const { log, lines } = capture();
    log.info('source.seen', untyped(JSON.parse('{"__proto__": {"source": "x"}, "constructor": 1}')));
    log.info('no.such.event' as LogEvent, untyped({ source: 'x' }));
    expect(lines()).toHaveLength(2);
    expect(JSON.stringify(lines())).not.toContain('"source"');
  });
});

describe('a route in a log line', () => {
  it.each(['/v1/gates/:service', '/hooks/localtonet/:secret', '/v1/incidents/{id}', '/*', '/'])(
    'may be %s',
    (route) => {
      const { log, lines } = capture();
      log.warn('request.failed', { method: 'GET', route, status: 500, code: 'unexpected' });
      expect(lines()).toMatchObject([{ method: 'GET', route, status: 500 }]);
    },
  );

  it.each(['/v1/gates?service=a', '/hooks/localtonet/%41', '/a b', '/x/0123456789abcdef', 'https://example.org/'])(
    'may not be %s',
    (route) => {
      const { log, lines } = capture();
      log.warn('request.failed', { route });
      expect(lines()[0]).not.toHaveProperty('route');
    },
  );
});
