import type { FeedRow } from '@tidegate/store';
import { describe, expect, it } from 'vitest';
import { toFeedContent } from './feed-entry.ts';
import { writeJsonFeed } from './write-json-feed.ts';

const OPENED = new Date('2026-03-14T14:18:00Z');
const AGAIN = new Date('2026-03-14T14:27:00Z');

/** The text and the facts of one entry. */
function entryOf(row: Partial<FeedRow>) {
  const incident = { id: 'inc_a', services: [], timeline: [], openedAt: OPENED, since: OPENED, reopened: 0 };
  const items = [{ ...incident, summary: 'Down.', updatedAt: AGAIN, ...row } as unknown as FeedRow];
  const content = toFeedContent({ items, readAt: AGAIN }, null, { installation: 'x', pageUrl: null });
  const [item] = JSON.parse(writeJsonFeed(content)).items;
  return item;
}

describe('an entry of a feed', () => {
  it('says since when its present episode lasts, and when it was opened first', () => {
    expect(entryOf({ reopened: 2, since: AGAIN })).toMatchObject({
      content_text: 'Down.\nSince 2026-03-14T14:27:00.000Z; opened first 2026-03-14T14:18:00.000Z, reopened 2×.',
      date_published: OPENED.toISOString(),
      _tidegate: { since: AGAIN.toISOString() },
    });
    expect(entryOf({})).toMatchObject({ content_text: 'Down.', _tidegate: { since: OPENED.toISOString() } });
  });
});
