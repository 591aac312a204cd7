import type { Review } from '@tidegate/client';
import type { ReviewDetail } from '@tidegate/store';
import { presentCallbackDetail } from '../callback/present-callback.ts';

/** A callback with what a person needs to decide on it, and nothing that was sealed. */
export function presentReview(review: ReviewDetail): Review {
  return {
    ...presentCallbackDetail(review),
    payloadHash: review.payloadHash,
    unknownSince: review.unknownSince?.toISOString() ?? null,
    decisions: review.decisions.map(({ decision, actor, reason, decidedAt, expiresAt, usedAt }) => ({
      decision,
      actor,
      reason,
      decidedAt: decidedAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
      usedAt: usedAt?.toISOString() ?? null,
    })),
  };
}
