import { AppError } from '@tidegate/core';

/** Rejects with a retryable AppError when `work` has not settled in time; its outcome is then unknown, never assumed. */
export async function withDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new AppError({
            code: 'commit_timeout',
            publicMessage: 'The database did not answer in time.',
            retryable: true,
          }),
        ),
      deadlineMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
