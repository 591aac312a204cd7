import { judgeStatus, type StatusContract, type StatusResult, validateCallback } from '@tidegate/core';
import type { AddressGuard } from '../guard/address-guard.ts';
import { createExchanger } from '../http/exchange.ts';
import { mergeHeaders } from '../http/headers.ts';

export interface LookupOutcome {
  readonly result: StatusResult;
  /** How far the lookup got, and what ended it: what that says of its destination. */
  readonly phase: 'not_sent' | 'maybe_received' | 'answered';
  readonly reason: string;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly latencyMs: number;
}

export interface StatusClient {
  /** Puts one GET and reads its answer as the contract says. Follows no redirect, repeats nothing, never rejects. */
  lookUp(contract: StatusContract, timeoutMs: number): Promise<LookupOutcome>;
  /** Aborts running lookups (their result is `unknown`) and closes their sockets. */
  close(): Promise<void>;
}

/** More of an answer is not read: a text that comes later is not found in it. */
const MAX_BODY_BYTES = 64 * 1024;

/** Makes the client that asks destinations what became of a callback (DESIGN §8). */
export function createStatusClient({ guard }: { readonly guard: AddressGuard }): StatusClient {
  const exchanger = createExchanger(guard);

  async function lookUp(contract: StatusContract, timeoutMs: number): Promise<LookupOutcome> {
    const { url, headers } = contract;
    // Checked when it was accepted, too; a row that was tampered with ends before any socket.
    if (!validateCallback({ url, headers, method: 'GET', body: null }).ok)
      return { result: 'unknown', phase: 'not_sent', reason: 'invalid_request', status: null, latencyMs: 0 };
    const answer = await exchanger.exchange({
      url,
      method: 'GET',
      headers: mergeHeaders({ 'user-agent': 'tidegate', ...mergeHeaders(headers, {}) }, {}),
      body: null,
      maxBodyBytes: MAX_BODY_BYTES,
      timeoutMs,
    });
    const { latencyMs } = answer;
    if (answer.kind !== 'answered') {
      const phase = answer.kind === 'not_sent' ? 'not_sent' : 'maybe_received';
      return { result: 'unknown', phase, reason: answer.reason, status: null, latencyMs };
    }
    const { status, ending } = answer;
    // Part of a body could lack the very text that tells the two answers apart.
    if (ending === 'complete' || ending === 'cut') {
      const result = ending === 'cut' ? 'unknown' : judgeStatus(contract, status, answer.body.toString('utf8'));
      return { result, phase: 'answered', reason: 'answered', status, latencyMs };
    }
    return { result: 'unknown', phase: 'maybe_received', reason: ending, status, latencyMs };
  }

  return { lookUp, close: exchanger.close };
}
