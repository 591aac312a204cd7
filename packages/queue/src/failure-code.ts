import { AppError } from '@tidegate/core';

/** Codes of AppError are literals of our own source. */
const OWN_SHAPE = /^[a-z][a-z0-9_]{2,60}$/;

/** Shapes of Node's and Postgres's codes; anything else could be a received value and is not repeated. */
const KNOWN_SHAPE = /^(?:E[A-Z]{3,15}|ERR_[A-Z_]{3,40}|[0-9A-Z]{5})$/;

/** Redis answers carry their code as the first word of the message. */
const REDIS_CODES = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'OOM', 'READONLY', 'MISCONF', 'LOADING', 'MASTERDOWN']);

/** SQLSTATE classes and Redis codes that waiting does not cure: credentials, database name, privileges. */
const PERMANENT = /^(?:28|3D|42)|^redis_(?:noauth|wrongpass|noperm)$/;

/**
 * Reduces any thrown thing to a code that is safe to store, log and count: never its message (I3).
 * `unexpected` when it carries no code of a known shape.
 */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unexpected';
  }
  const redisCode = error.message.split(' ', 1)[0] ?? '';
  if (error.name === 'ReplyError' && REDIS_CODES.has(redisCode)) {
    return `redis_${redisCode.toLowerCase()}`;
  }
  const code: unknown = 'code' in error ? error.code : undefined;
  const shape = error instanceof AppError ? OWN_SHAPE : KNOWN_SHAPE;
  return typeof code === 'string' && shape.test(code) ? code : 'unexpected';
}

/** Turns a failure to open or reach the queue's store into an AppError; `retryable` says whether waiting may cure it. */
export function toQueueError(error: unknown): AppError {
  if (error instanceof AppError) {
    return error;
  }
  const detail = failureCode(error);
  const unsupported = error instanceof Error && /^(?:Unsupported|Schema).*Error$/.test(error.constructor.name);
  if (PERMANENT.test(detail) || unsupported) {
    return new AppError({
      code: 'queue_refused',
      publicMessage: 'The queue store refuses to work for us: check its version, credentials and privileges.',
      detail,
    });
  }
  return new AppError({
    code: 'queue_unavailable',
    publicMessage: 'The queue store cannot be reached.',
    detail,
    retryable: true,
  });
}
