import { AppError } from '@tidegate/core';

/** 58 is of the server's system, as of its disk; 25006 a standby, or a primary made read-only: a failover ends both. */
const UNAVAILABLE = /^(08|57P0|53|58|25006$)/;
const RETRYABLE = new Set(['40001', '40P01', '55P03']);
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  // The Unix socket of a server that is stopped.
  'ENOENT',
]);

/** What a failed statement means to its caller. */
export type StoreFailure = 'unavailable' | 'conflict' | 'bad_data' | 'other';

/**
 * Sorts an error of postgres.js by its SQLSTATE or socket code. `unavailable` includes an unknown COMMIT outcome: the
 * connection ended before the answer came.
 */
export function classifyStoreError(error: unknown): StoreFailure {
  const code = errorCode(error);
  if (code === undefined) return 'other';
  if (RETRYABLE.has(code)) return 'conflict';
  if (NETWORK.has(code) || code.startsWith('CONNECTION_') || UNAVAILABLE.test(code)) return 'unavailable';
  if (code.startsWith('22') || code.startsWith('23')) return 'bad_data';
  return 'other';
}

/** A unique index refused a row that another transaction had just written; where nobody raced, a second try fails again. */
export function isLostRace(error: unknown): boolean {
  return errorCode(error) === '23505';
}

/** Codes after which the connection that gave them closes, whether the server says so or the socket does. */
const LOST = new Set([
  '57P01',
  '57P02',
  'ECONNRESET',
  'EPIPE',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
]);

/** Whether an error, translated or not, says that the connection it came from is gone. */
export function isConnectionLost(error: unknown): boolean {
  const code = error instanceof AppError ? error.detail : errorCode(error);
  return code !== undefined && LOST.has(code);
}

/** An AppError that carries the SQLSTATE only: postgres.js errors hold the query and its parameters. */
export function toStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const failure = classifyStoreError(error);
  return new AppError({
    code: failure === 'unavailable' ? 'store_unavailable' : 'store_failed',
    publicMessage: failure === 'unavailable' ? 'The database cannot be reached.' : 'The database refused a statement.',
    detail: errorCode(error) ?? 'unknown',
    retryable: failure !== 'bad_data' && failure !== 'other',
  });
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
