import type { AttemptPhase, ReconciliationAction, ReconciliationOutcome, RepeatContract } from '@tidegate/core';
import type { CallbackDetail, CallbackRow } from '@tidegate/store';

// What the page of a callback says for the codes that its row, its attempts and its reconciliation carry.

const PHASES: Record<AttemptPhase, string> = {
  not_sent: 'was not sent',
  maybe_received: 'may have been received',
  answered: 'was answered',
};

const OUTCOMES: Record<ReconciliationOutcome, string> = {
  complete: 'It was carried out',
  not_started: 'It was not carried out',
  ambiguous: 'Not known whether it was carried out',
};

const ACTIONS: Record<ReconciliationAction, string> = {
  close: 'nothing more is sent',
  wait: 'its attempt is waited for',
  send: 'it is sent',
  resend: 'it is sent again',
  look_up: 'its destination is asked for its status',
  review: 'a person decides',
};

const SAFETIES: Record<CallbackRow['safety'], string> = {
  safe: 'It changes nothing at its destination',
  unsafe: 'It changes something at its destination',
};

const REPEATS: Record<RepeatContract, string> = {
  deduplicated: 'sent twice, it counts once',
  forbidden: 'it must not be sent twice',
};

/** Why a callback is in its state, why an attempt ended as it did, and what a reconciliation went by. */
const REASONS: Readonly<Record<string, string>> = {
  // Of attempts.
  aborted: 'it was broken off here',
  address_denied: 'its address is not allowed',
  dns: 'the name of its destination was not found',
  gate_held: 'its gate was held',
  invalid_request: 'it cannot be written down as a request',
  lease_expired: 'the worker that sent it was lost',
  malformed: 'the answer was not HTTP',
  not_opened: 'what was sealed could not be opened',
  refused: 'the connection was refused',
  reset: 'the connection broke',
  timeout: 'no answer came in time',
  tls: 'no secure connection came about',
  too_late: 'its time was over before it began',
  unreachable: 'its destination could not be reached',
  // Of what follows from them.
  accepted: 'its destination took it',
  not_sent: 'it could not be sent',
  outcome_unknown: 'nobody knows whether it was carried out',
  policy_unknown: 'no config names its policy any more',
  redirected: 'its destination answered with a redirect',
  rejected: 'its destination refused it',
  retry_attempts_exhausted: 'all its tries are used up',
  retry_elapsed_exhausted: 'its time for tries is used up',
  server_error: 'its destination had an error',
  server_error_repeat_forbidden: 'its destination had an error, and it must not be sent twice',
  try_later: 'its destination asked for a later try',
  unexpected_status: 'its destination answered with an unexpected status',
  // Of reconciliation.
  answered: 'it was answered',
  in_flight: 'an attempt is under way',
  never_attempted: 'it was never tried',
  never_sent: 'no try was sent',
  refused_for_now: 'its destination asked for a later try',
  retries_exhausted: 'its tries are used up',
  status_complete: 'its destination says that it happened',
  status_not_found: 'its destination says that it did not happen',
  status_not_settled: 'its destination does not know it yet',
  status_unknown: 'its destination could not say',
  // Of the gate, the clock and the config.
  gate_opened: 'its gate opened',
  deadline_passed: 'its deadline has passed',
  service_removed: 'the config does not name its service any more',
  // Of people.
  approval_expired: 'the approval ended unused',
  approval_used: 'the approved try is used up',
  approved: 'a person approved one more try',
  cancelled: 'it was cancelled',
  denied: 'a person decided that it is not sent again',
  marked_complete: 'a person knows that it happened',
  redriven: 'a person had it sent again',
};

/** A code this version has no words for is shown as it is: it comes from a newer one. */
export function tellReason(code: string): string {
  return Object.hasOwn(REASONS, code) ? (REASONS[code] ?? code) : code.replaceAll('_', ' ');
}

export function tellContract({ safety, repeat }: Pick<CallbackRow, 'safety' | 'repeat'>): string {
  return `${SAFETIES[safety]}; ${REPEATS[repeat]}.`;
}

export function tellEntry({ outcome, reason, action }: NonNullable<CallbackDetail['reconciliation']>): string {
  return `${OUTCOMES[outcome]}: ${tellReason(reason)}. So ${ACTIONS[action]}.`;
}

/** A sentence about one attempt. */
export function tellTry({ number, phase, status, latencyMs, reason, disprovedAt }: CallbackDetail['tries'][number]) {
  if (phase === null) return `Try ${number} is under way.`;
  const answer = status === null ? '' : ` with ${status}`;
  const took = latencyMs === null ? '' : ` after ${latencyMs} ms`;
  const why = reason === null || reason === phase ? '' : `: ${tellReason(reason)}`;
  const disproved = disprovedAt === null ? '' : ' Its destination says that it had no effect.';
  return `Try ${number} ${PHASES[phase]}${answer}${took}${why}.${disproved}`;
}
