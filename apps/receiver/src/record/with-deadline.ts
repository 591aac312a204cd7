import { AppError } from '@tidegate/core';

/**
 * Rejects with a retryable AppError when `work` has not settled in time; its outcome is then unknown, never assumed.
 * @param hurry ends the wait at once when it is aborted
 */
export async function withDeadline<T>(work: Promise<T>, deadlineMs: number, hurry?: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    giveUp = () => reject(tooLate());
    timer = setTimeout(giveUp, deadlineMs);
  });
  hurry?.addEventListener('abort', giveUp);
  if (hurry?.aborted) giveUp();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    hurry?.removeEventListener('abort', giveUp);
  }
}

function tooLate(): AppError {
  return new AppError({
    code: 'commit_timeout',
    publicMessage: 'The database did not answer in time.',
    retryable: true,
  });
}
