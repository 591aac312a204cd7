import { type ProblemInit, problem } from '../answer/problem.ts';
import type { ProblemCode } from '../answer/problem-codes.ts';
import type { AcceptResult } from './accept-callback.ts';
import type { ReadRequest } from './read-callback-request.ts';

type Refusal = Exclude<ReadRequest, { kind: 'read' }> | Exclude<AcceptResult, { kind: 'accepted' }>;

/** Seconds until a copy is worth sending again: what it is a copy of takes milliseconds. */
const IN_FLIGHT_SECONDS = 1;

/** The answer to a callback that is not taken over. */
export function refuseCallback(refusal: Refusal): Response {
  return problem(toProblem(refusal), refusal.kind === 'in_flight' ? { 'retry-after': String(IN_FLIGHT_SECONDS) } : {});
}

function toProblem(refusal: Refusal): ProblemInit {
  switch (refusal.kind) {
    case 'not_json':
      return { status: 415, code: 'not_json', detail: 'The body must be application/json in UTF-8, not compressed.' };
    case 'key_unusable': {
      const errors = [{ field: 'Idempotency-Key', problem: refusal.problem }];
      const detail = 'The header Idempotency-Key is needed: 1 to 255 visible ASCII characters, bare or quoted.';
      return { status: 400, code: 'idempotency_key_unusable', detail, errors };
    }
    case 'too_large':
      return { status: 413, code: 'body_too_large', detail: 'The body is larger than 1 MiB.' };
    case 'aborted':
      return { status: 400, code: 'body_incomplete', detail: 'The body ended before all of it had arrived.' };
    case 'syntax':
      return { status: 400, code: 'malformed_json', detail: `The body is not acceptable JSON (${refusal.reason}).` };
    case 'invalid':
      return malformed('The callback is not valid.', refusal.errors);
    case 'destination_refused':
      return unprocessable('destination_refused', 'Callbacks of this service may not go there.', [
        { field: 'url', problem: 'destination_refused' },
      ]);
    case 'unknown_service':
      return unprocessable('unknown_service', 'There is no service of this name.', [
        { field: 'service', problem: 'unknown' },
      ]);
    case 'in_flight': {
      const detail = 'A callback under this idempotency key is being taken over at this moment: send it again.';
      return { status: 409, code: 'idempotency_key_in_use', detail };
    }
    case 'payload_differs': {
      const detail = 'The idempotency key was used before, with another payload.';
      return unprocessable('idempotency_key_reused', detail, [{ field: 'Idempotency-Key', problem: 'reused' }]);
    }
  }
}

function malformed(detail: string, errors: ProblemInit['errors']): ProblemInit {
  return { status: 400, code: 'malformed_request', detail, ...(errors && { errors }) };
}

function unprocessable(code: ProblemCode<422>, detail: string, errors: ProblemInit['errors']): ProblemInit {
  return { status: 422, code, detail, ...(errors && { errors }) };
}
