import { randomBytes } from 'node:crypto';
import type { AddressGuard } from '../guard/address-guard.ts';
import { createExchanger } from '../http/exchange.ts';
import { firstHeader, type HeaderList, mergeHeaders } from '../http/headers.ts';
import { judgeAnswer, judgeSilence, type ProbeExpectation, type ProbeJudgement } from './judge-answer.ts';
import { readDegraded } from './read-degraded.ts';

export interface ProbeRequest {
  readonly url: string;
  readonly headers: HeaderList;
  readonly expect: ProbeExpectation;
  /** Milliseconds for the whole probe: lookup, connect, headers and body. */
  readonly timeoutMs: number;
  /** Sent as `tidegate-nonce`. One is made when the expectation asks for a nonce and none is given. */
  readonly nonce?: string;
  readonly signal?: AbortSignal;
}

export interface ProbeOutcome extends ProbeJudgement {
  readonly latencyMs: number;
  /** Null when no answer came. */
  readonly status: number | null;
  /** Names of degraded dependencies, when an expected answer calls itself degraded (`readDegraded`); else null. */
  readonly degraded: readonly string[] | null;
}

export interface ProbeClient {
  /** Puts one GET. Network failures and wrong answers are outcomes; it never rejects. */
  get(request: ProbeRequest): Promise<ProbeOutcome>;
  /** Stops running probes (their outcome is `unknown`) and closes their sockets. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;

/** Makes the client behind the probe layers that are URLs (DESIGN §6). */
export function createProbeClient({ guard }: { readonly guard: AddressGuard }): ProbeClient {
  const exchanger = createExchanger(guard);

  async function get(request: ProbeRequest): Promise<ProbeOutcome> {
    const nonce = request.nonce ?? (request.expect.nonce ? randomBytes(16).toString('hex') : null);
    const result = await exchanger.exchange({
      url: request.url,
      method: 'GET',
      headers: probeHeaders(request.headers, nonce),
      body: null,
      maxBodyBytes: MAX_BODY_BYTES,
      timeoutMs: request.timeoutMs,
      signal: request.signal,
    });
    const { latencyMs } = result;
    if (result.kind !== 'answered')
      return { ...judgeSilence(result.kind, result.reason), latencyMs, status: null, degraded: null };
    const { status, headers, body, ending } = result;
    const answer = { status, contentType: firstHeader(headers, 'content-type'), body, ending };
    const judgement = judgeAnswer(answer, request.expect, nonce);
    return { ...judgement, latencyMs, status, degraded: judgement.outcome === 'pass' ? readDegraded(body) : null };
  }

  return { get, close: exchanger.close };
}

function probeHeaders(configured: HeaderList, nonce: string | null): HeaderList {
  const own = {
    // Without it the tunnel edge may answer 200 with its own page.
    'localtonet-skip-warning': 'true',
    'accept-encoding': 'identity',
    ...(nonce === null ? {} : { 'tidegate-nonce': nonce }),
  };
  return mergeHeaders({ 'user-agent': 'tidegate', 'cache-control': 'no-cache', ...configured }, own);
}
