import { AppError } from '@tidegate/core';

/** Settles as `work` does, or rejects with AppError `queue_unavailable` after `timeoutMs`; late results are dropped. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const publicMessage = 'The queue store did not answer in time.';
      reject(new AppError({ code: 'queue_unavailable', publicMessage, detail: 'timeout', retryable: true }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
