/**
 * The one error class that crosses rooms. `publicMessage` may be shown to anyone, so it never holds a received value;
 * `detail` is for the operator's log and is held to the same rule. `retryable` says whether the same call may succeed later.
 */
export class AppError extends Error {
  readonly code: string;
  readonly publicMessage: string;
  readonly detail: string | undefined;
  readonly retryable: boolean;

  constructor(init: { code: string; publicMessage: string; detail?: string; retryable?: boolean; cause?: unknown }) {
    super(init.publicMessage, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'AppError';
    this.code = init.code;
    this.publicMessage = init.publicMessage;
    this.detail = init.detail;
    this.retryable = init.retryable ?? false;
  }
}
