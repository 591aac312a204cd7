import type { LayerReason } from '@tidegate/core';
import type { ExchangeResult } from '../http/exchange.ts';
import { isHtml, isWarningPage, namesTheEdge } from './edge-page.ts';

/** What a probe expects of an answer. */
export interface ProbeExpectation {
  readonly status: number;
  readonly bodyIncludes: string | null;
  readonly nonce: boolean;
}

export interface ProbeJudgement {
  readonly outcome: 'pass' | 'fail' | 'unknown';
  readonly reason: LayerReason;
  /** One sentence for a person; holds no part of the URL, a header or a body. */
  readonly detail: string;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Buffer;
  readonly ending: Extract<ExchangeResult, { kind: 'answered' }>['ending'];
}

/**
 * Compares an answer with what was expected. Pure. Order: the status (with pages of the tunnel edge named first, since
 * they arrive with any status), then how the body ended, then what it says.
 */
export function judgeAnswer(answer: ProbeAnswer, expect: ProbeExpectation, nonce: string | null): ProbeJudgement {
  const html = isHtml(answer.contentType);
  const missing = findMissing(answer.body, expect, nonce);
  const asserted = expect.bodyIncludes !== null || expect.nonce;
  const trusted = answer.status === expect.status && asserted && missing === null;
  if (!trusted && html && answer.status < 300 && isWarningPage(answer.body)) return INTERSTITIAL;
  if (answer.status !== expect.status) return judgeStatus(answer, expect.status, html);
  if (answer.ending !== 'complete' && answer.ending !== 'cut') return judgeInterruption(answer.ending);
  if (missing === null) return { outcome: 'pass', reason: 'ok', detail: `Answered ${answer.status} as expected.` };
  if (answer.ending === 'cut') return fail('body_too_large', 'The expected text is not in the part of the body read.');
  if (missing === 'nonce') return fail('nonce_missing', 'The body does not echo the nonce of this run.');
  return fail('body_mismatch', 'The status is right but the body lacks the expected text.');
}

const INTERSTITIAL = fail('interstitial', 'The tunnel edge answered with its own warning page.');

function findMissing(body: Buffer, expect: ProbeExpectation, nonce: string | null): 'text' | 'nonce' | null {
  if (expect.bodyIncludes !== null && !body.includes(expect.bodyIncludes, 0, 'utf8')) return 'text';
  if (expect.nonce && (nonce === null || !body.includes(nonce, 0, 'utf8'))) return 'nonce';
  return null;
}

function judgeStatus(answer: ProbeAnswer, expected: number, html: boolean): ProbeJudgement {
  const { status } = answer;
  if (status === 401) return fail('unauthorized', 'The endpoint refused the probe credential with 401.');
  if (status === 403) return fail('forbidden', 'The endpoint refused the probe credential with 403.');
  if (status >= 300 && status < 400) return fail('redirected', `Answered ${status}; redirects are not followed.`);
  const fromEdge = [502, 503, 504].includes(status) || (status === 500 && namesTheEdge(answer.body));
  if (html && fromEdge) return fail('edge_error', `The tunnel edge answered ${status} with an HTML page.`);
  return fail('status_mismatch', `Answered ${status} where ${expected} is expected.`);
}

function judgeInterruption(ending: 'reset' | 'malformed' | 'timeout' | 'aborted'): ProbeJudgement {
  if (ending === 'aborted') return STOPPED;
  if (ending === 'timeout') return fail('timeout', 'The body did not end within the time limit.');
  if (ending === 'reset') return fail('reset', 'The connection broke while the body was being read.');
  return fail('malformed', 'The body does not follow HTTP/1.1.');
}

const STOPPED: ProbeJudgement = {
  outcome: 'unknown',
  reason: 'timeout',
  detail: 'The probe was stopped before it could end.',
};

type Silent = Exclude<ExchangeResult, { kind: 'answered' }>;

/**
 * Names the outcome of a probe that got no answer. Pure. The network failing is a `fail`; a probe that this side never
 * put (refused address, unusable request, shutdown) is `unknown`. Whether our own link was down is for core to say.
 */
export function judgeSilence(kind: Silent['kind'], reason: Silent['reason']): ProbeJudgement {
  switch (reason) {
    case 'address_denied':
      return { outcome: 'unknown', reason, detail: 'The address guard does not let this probe dial its address.' };
    case 'invalid_request':
      return { outcome: 'unknown', reason: 'malformed', detail: 'The configured probe is not a valid HTTP request.' };
    case 'aborted':
    case 'lease_expired':
    case 'gate_held':
    case 'deadline_passed':
      return STOPPED;
    case 'dns':
      return fail(reason, 'The host name did not resolve.');
    case 'refused':
      return fail(reason, 'The connection was refused.');
    case 'unreachable':
      return fail(reason, 'No route leads to the address.');
    case 'tls':
      return fail(reason, 'The TLS handshake failed or the certificate was not accepted.');
    case 'timeout':
      return fail(reason, kind === 'not_sent' ? 'No connection within the time limit.' : NO_ANSWER_IN_TIME);
    case 'reset':
      return fail(reason, 'The connection was closed without an answer.');
    case 'malformed':
      return fail(reason, 'The answer does not follow HTTP/1.1.');
  }
}

const NO_ANSWER_IN_TIME = 'Connected, but no answer within the time limit.';

function fail(reason: LayerReason, detail: string): ProbeJudgement {
  return { outcome: 'fail', reason, detail };
}
