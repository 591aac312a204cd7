import { type FieldProblem, PROBLEM_MEDIA_TYPE, type Problem, type Scope } from '@tidegate/client';
import { answer } from './answer.ts';
import type { ProblemCode, ProblemStatus } from './problem-codes.ts';

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const satisfies Readonly<Record<ProblemStatus, string>>;

interface InitOf<S extends ProblemStatus> {
  readonly status: S;
  readonly code: ProblemCode<S>;
  /** One sentence for a person; never a received value. */
  readonly detail: string;
  readonly errors?: readonly FieldProblem[];
  readonly scope?: Scope;
}

/** A status with one of its codes. */
export type ProblemInit = { readonly [S in ProblemStatus]: InitOf<S> }[ProblemStatus];

/** What an RFC 9457 answer holds. */
export function problemBody({ status, code, detail, errors, scope }: ProblemInit): Problem {
  return {
    type: 'about:blank',
    title: TITLES[status],
    status,
    detail,
    code,
    ...(errors && { errors: [...errors] }),
    ...(scope && { scope }),
  };
}

/** An RFC 9457 answer. */
export function problem(init: ProblemInit, headers: Readonly<Record<string, string>> = {}): Response {
  return answer(init.status, problemBody(init), { 'content-type': PROBLEM_MEDIA_TYPE, ...headers });
}
