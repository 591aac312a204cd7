import { AppError } from '@tidegate/core';

/**
 * What `work` resolves to, unless it takes longer than `timeoutMs`: a store that hangs is a store that is away.
 * @throws AppError `store_unavailable` once the time is over; what `work` becomes then is no longer looked at
 */
export function withinDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function tooLate(): AppError {
  return new AppError({
    code: 'store_unavailable',
    publicMessage: 'The database did not answer in time.',
    retryable: true,
  });
}
