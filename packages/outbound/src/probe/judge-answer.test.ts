import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAnswer, type ProbeAnswer, type ProbeExpectation } from './judge-answer.ts';

const WARNING = '<html><title>Localtonet</title><p>You are about to visit a site. Continue?</p></html>';
const EDGE_502 = '<html><h1>502</h1>The client is not connected.</html>';
const EDGE_500 = '<html>Localtonet could not reach 192.168.1.20:9000</html>';
const HTML = 'text/html; charset=utf-8';

function judge(
  answer: Partial<Omit<ProbeAnswer, 'body'>> & { body?: string },
  expectation: Partial<ProbeExpectation> = {},
) {
  const body = Buffer.from(answer.body ?? '');
  const full = { status: 200, contentType: 'text/plain', ending: 'complete' as const, ...answer, body };
  return judgeAnswer(full, { status: 200, bodyIncludes: null, nonce: false, ...expectation }, 'n0nce');
}

describe('judgeAnswer', () => {
  it.each([
    ['the expected status', {}, {}, 'pass', 'ok'],
    ['the expected status and text', { body: 'all ok' }, { bodyIncludes: 'ok' }, 'pass', 'ok'],
    ['an expected 401', { status: 401 }, { status: 401 }, 'pass', 'ok'],
    ['an expected redirect', { status: 302 }, { status: 302 }, 'pass', 'ok'],
    ['an echoed nonce', { body: '{"nonce":"n0nce"}' }, { nonce: true }, 'pass', 'ok'],
    ['text beyond ASCII', { body: 'größe ✓' }, { bodyIncludes: '✓' }, 'pass', 'ok'],
    ['a long body that begins right', { body: 'ok…', ending: 'cut' }, { bodyIncludes: 'ok' }, 'pass', 'ok'],
    ['a long body without assertion', { body: 'x', ending: 'cut' }, {}, 'pass', 'ok'],
    [
      'a page about the tunnel, asserted',
      { body: WARNING, contentType: HTML },
      { bodyIncludes: 'visit' },
      'pass',
      'ok',
    ],
    ['another text', { body: 'no' }, { bodyIncludes: 'ok' }, 'fail', 'body_mismatch'],
    [
      'the text missing in what was read',
      { body: 'x', ending: 'cut' },
      { bodyIncludes: 'ok' },
      'fail',
      'body_too_large',
    ],
    ['an old nonce', { body: 'n0nc' }, { nonce: true }, 'fail', 'nonce_missing'],
    ['the edge warning', { body: WARNING, contentType: HTML }, { bodyIncludes: 'ok' }, 'fail', 'interstitial'],
    ['the edge warning, unasserted', { body: WARNING, contentType: HTML }, {}, 'fail', 'interstitial'],
    ['the edge warning for a 204', { body: WARNING, contentType: HTML }, { status: 204 }, 'fail', 'interstitial'],
    ['another HTML page', { body: '<p>hi</p>', contentType: HTML }, { bodyIncludes: 'ok' }, 'fail', 'body_mismatch'],
    ['502 HTML', { status: 502, body: EDGE_502, contentType: HTML }, {}, 'fail', 'edge_error'],
    [
      '502 HTML that reads like the warning',
      { status: 502, body: WARNING, contentType: HTML },
      {},
      'fail',
      'edge_error',
    ],
    ['503 HTML', { status: 503, body: EDGE_502, contentType: HTML }, {}, 'fail', 'edge_error'],
    ['504 HTML', { status: 504, body: '', contentType: 'Text/HTML' }, {}, 'fail', 'edge_error'],
    ['500 HTML of the edge', { status: 500, body: EDGE_500, contentType: HTML }, {}, 'fail', 'edge_error'],
    ['500 HTML of the agent', { status: 500, body: '<p>oops</p>', contentType: HTML }, {}, 'fail', 'status_mismatch'],
    ['502 JSON', { status: 502, body: '{}', contentType: 'application/json' }, {}, 'fail', 'status_mismatch'],
    ['502 without type', { status: 502, contentType: null }, {}, 'fail', 'status_mismatch'],
    ['401', { status: 401 }, {}, 'fail', 'unauthorized'],
    ['403', { status: 403, body: EDGE_502, contentType: HTML }, {}, 'fail', 'forbidden'],
    ['301', { status: 301 }, {}, 'fail', 'redirected'],
    ['404', { status: 404 }, {}, 'fail', 'status_mismatch'],
    ['429', { status: 429 }, {}, 'fail', 'status_mismatch'],
    ['a body that never ended', { body: 'ok', ending: 'timeout' }, { bodyIncludes: 'ok' }, 'fail', 'timeout'],
    ['a body that broke', { body: 'ok', ending: 'reset' }, { bodyIncludes: 'ok' }, 'fail', 'reset'],
    ['a garbled body', { ending: 'malformed' }, {}, 'fail', 'malformed'],
    ['a stop by us', { ending: 'aborted' }, {}, 'unknown', 'timeout'],
  ] as const)('%s', (_name, answer, expectation, outcome, reason) => {
    expect(judge(answer, expectation)).toMatchObject({ outcome, reason });
  });

  it('never repeats what it was given, save the two status codes', () => {
    const word = fc.stringMatching(/^[a-z]{10,20}$/).map((text) => `zq${text}`);
    fc.assert(
      fc.property(word, fc.constantFrom(200, 301, 401, 403, 500, 502), fc.boolean(), (canary, status, html) => {
        const contentType = html ? `text/html; x=${canary}` : canary;
        const { detail } = judge({ status, contentType, body: canary }, { bodyIncludes: `${canary}!`, nonce: true });
        expect(detail).not.toContain(canary);
        expect(detail).toMatch(/^[A-Z][^\n]{10,90}\.$/);
      }),
    );
  });
});
