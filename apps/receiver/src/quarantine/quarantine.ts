import type { WebhookError } from '@tidegate/core';
import type { LiveSource, QuarantinedBody } from '@tidegate/store';
import { newId, type Sealer } from '@tidegate/vault';
import { createRecheckLimit } from './recheck-limit.ts';

/** What was wrong with a body: fixed codes, nothing received. */
type Misread = WebhookError | { readonly field: 'content-type'; readonly problem: 'not_allowed' };

/** Looks after what an authenticated source sent and nobody understood. */
export interface Quarantine {
  /**
   * Resolves when the body is kept.
   * @throws AppError when it is not: answer 503
   */
  keep(source: LiveSource, body: Buffer, error: Misread): Promise<void>;
  /**
   * For a body that is not kept: resolves when its source's gates are due for a verification, or were shortly before.
   * @throws AppError when they could not be made due: answer 503
   */
  recheck(source: LiveSource): Promise<void>;
}

export interface QuarantineOptions {
  readonly sealer: Sealer;
  /** Stores a sealed body and, if told to, makes the gates of its source due. */
  readonly save: (body: QuarantinedBody, verifyGates: boolean) => Promise<void>;
  /** Makes the gates of a source due. */
  readonly verifyGates: (sourceId: number) => Promise<void>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** The body is sealed here, bound to its row; all that is stored beside it are fixed codes and a length (I3). */
export function createQuarantine({ sealer, save, verifyGates, now }: QuarantineOptions): Quarantine {
  const limit = createRecheckLimit();
  const rounds = new Map<number, Promise<void>>();
  const withRound = async (sourceId: number, work: (mayVerify: boolean) => Promise<void>) => {
    const taken = limit.take(sourceId, now());
    try {
      await work(taken);
    } catch (error) {
      if (taken) limit.giveBack(sourceId);
      throw error;
    }
  };
  return {
    async keep(source, body, { field, problem }) {
      await sealer.ready();
      const id = newId('qua');
      const sealedBody = sealer.seal(body, { row: id, purpose: 'quarantined-body' });
      const row = { id, sourceId: source.id, field, problem, bytes: body.length, sealedBody };
      await withRound(source.id, (mayVerify) => save(row, mayVerify));
    },
    recheck({ id }) {
      // Who comes while a round is on its way waits for that one: it may yet fail.
      const under = rounds.get(id);
      if (under !== undefined) return under;
      const round = withRound(id, async (mayVerify) => (mayVerify ? verifyGates(id) : undefined)).finally(() =>
        rounds.delete(id),
      );
      rounds.set(id, round);
      return round;
    },
  };
}
