import type { WebhookError } from '@tidegate/core';
import type { LiveSource, QuarantinedBody } from '@tidegate/store';
import { newId, type Sealer } from '@tidegate/vault';
import { createRecheckLimit } from './recheck-limit.ts';

/** Keeps what an authenticated source sent and nobody understood. */
export interface Quarantine {
  /**
   * Resolves when the body is kept.
   * @throws AppError when it is not: answer 503
   */
  keep(source: LiveSource, body: Buffer, error: WebhookError): Promise<void>;
}

export interface QuarantineOptions {
  readonly sealer: Sealer;
  /** Stores a sealed body and, if told to, makes the gates of its source due. */
  readonly save: (body: QuarantinedBody, verifyGates: boolean) => Promise<void>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** The body is sealed here, bound to its row; all that is stored beside it are fixed codes and a length (I3). */
export function createQuarantine({ sealer, save, now }: QuarantineOptions): Quarantine {
  const mayRecheck = createRecheckLimit();
  return {
    async keep(source, body, { field, problem }) {
      await sealer.ready();
      const id = newId('qua');
      const sealedBody = sealer.seal(body, { row: id, purpose: 'quarantined-body' });
      const row = { id, sourceId: source.id, field, problem, bytes: body.length, sealedBody };
      await save(row, mayRecheck(source.id, now()));
    },
  };
}
