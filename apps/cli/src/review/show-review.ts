import { type ReviewDetail, readReview } from '@tidegate/store';
import { describeCallback } from '../callbacks/describe-callback.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';

/** `tidegate review show ID`: the evidence, and what can be decided. */
export async function showReview(id: string, flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const review = await readReview(sql, id, null);
    if (review === null) {
      fail('No callback of this id waits for a person, or was decided on.', 1);
      return;
    }
    if (flags.json) say(JSON.stringify(review));
    else for (const line of describeReview(review)) say(line);
  });
}

function describeReview(review: ReviewDetail): string[] {
  const { id, state, unknownSince, payloadHash, decisions } = review;
  const next = [
    '',
    'It happened:        tidegate review complete ID --reason "…"',
    'It shall not:       tidegate review deny ID --reason "…"',
    'Send it once more:  tidegate review approve ID --payload-hash HASH --reason "…"',
  ];
  return [
    ...describeCallback(review),
    ...(unknownSince === null ? [] : [`nobody knows its outcome since ${unknownSince.toISOString()}`]),
    ...decisions.map(describeDecision),
    `payload hash ${payloadHash}`,
    ...(state === 'needs_review' ? next.map((line) => line.replace('ID', id).replace('HASH', payloadHash)) : []),
  ];
}

function describeDecision({
  decision,
  actor,
  reason,
  decidedAt,
  expiresAt,
  usedAt,
}: ReviewDetail['decisions'][number]) {
  const words = { approve: 'approved', deny: 'denied', complete: 'marked complete' };
  const use = usedAt === null ? 'unused' : `used ${usedAt.toISOString()}`;
  const validity = expiresAt === null ? '' : `  (until ${expiresAt.toISOString()}, ${use})`;
  return `${words[decision]} ${decidedAt.toISOString()} by ${actor}: ${reason}${validity}`;
}
