/** Every code that an answer may have, by its HTTP status, and when it does. The API document tells them; no route can answer another. */
export const PROBLEM_CODES = {
  400: {
    malformed_request: 'a field of the query or of the body is not as it must be; `errors` names it',
    malformed_json: 'the body is not acceptable JSON',
    body_incomplete: 'the body ended too early',
    idempotency_key_unusable: 'the header `Idempotency-Key` is missing or not usable',
  },
  401: {
    key_missing: 'no key was presented',
    key_refused: 'the key is unknown, has expired or was revoked, or was not presented as the path takes it',
  },
  403: {
    scope_missing: 'the key lacks the scope that `scope` names',
    key_limited: 'the key is limited to some services, and the list is not kept by service',
    service_not_allowed: 'the key may not act for the service, or for all services of the incident',
  },
  404: { not_found: 'there is nothing here, or nothing that this key may see' },
  405: { method_not_allowed: 'the path does not take this method; `Allow` names those it takes' },
  408: { request_too_slow: 'the request did not arrive in time' },
  409: {
    acknowledged_before: 'somebody acknowledged the incident before',
    already_resolved: 'the incident is resolved already',
    still_disconnected: 'the incident is still disconnected; an override ends it all the same',
    not_verified: 'no verification has proved that the incident is over; an override ends it all the same',
    no_hand: 'nobody holds the gate or forces it open',
    idempotency_key_in_use: 'a callback under this key is being taken over at this moment: send it again',
    wrong_state: 'this cannot be ordered of a callback in its state',
    payload_differs: 'the approval is for another payload',
    deadline_passed: 'the deadline of the callback has passed',
    content_gone: 'what would be sent is not kept any more',
  },
  413: { body_too_large: 'the body is too large' },
  415: { not_json: 'the body is not JSON in UTF-8, or is compressed' },
  422: {
    unknown_service: 'there is no service of this name',
    destination_refused: 'callbacks of the service may not go there',
    idempotency_key_reused: 'the key was used before, with another payload',
    unknown_target: 'there is nothing of this name to silence',
  },
  431: { headers_too_large: 'the headers of the request are too large' },
  500: { internal: 'something went wrong here; it was noted' },
  503: {
    store_unavailable: 'the database is away',
    store_failed: 'the database could not do it at this moment',
    sealer_not_ready: 'nothing can be sealed yet',
    too_many_streams: 'the process serves as many streams as it can, or as a key may have',
  },
} as const satisfies Readonly<Record<number, Readonly<Record<string, string>>>>;

export type ProblemStatus = keyof typeof PROBLEM_CODES;
/** The codes of a status; of any when none is named. */
export type ProblemCode<S extends ProblemStatus = ProblemStatus> = S extends ProblemStatus
  ? keyof (typeof PROBLEM_CODES)[S] & string
  : never;

/** Whether a status may have this code. */
export function isCodeOf<S extends ProblemStatus>(status: S, code: string): code is ProblemCode<S> {
  return Object.hasOwn(PROBLEM_CODES[status], code);
}
