import { AppError } from '@tidegate/core';
import type { ProblemInit } from './problem.ts';
import { isCodeOf } from './problem-codes.ts';

/** Seconds a caller may wait before it asks again, when only the store is away. */
export const RETRY_AFTER_SECONDS = 1;

/** The one place where what was thrown becomes an answer. Anything unforeseen says nothing about itself. */
export function problemOfError(error: unknown): ProblemInit {
  if (!(error instanceof AppError)) return unexpected();
  if (error.code === 'bad_cursor') {
    const errors = [{ field: 'cursor', problem: 'malformed' }];
    return { status: 400, code: 'malformed_request', detail: error.publicMessage, errors };
  }
  if (error.retryable) {
    const code = isCodeOf(503, error.code) ? error.code : 'store_unavailable';
    return { status: 503, code, detail: error.publicMessage };
  }
  return unexpected();
}

function unexpected(): ProblemInit {
  return { status: 500, code: 'internal', detail: 'Something went wrong here; it was noted.' };
}
