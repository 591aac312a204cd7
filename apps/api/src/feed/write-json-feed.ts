import type { FeedContent } from './feed-entry.ts';

/** The feed as JSON Feed 1.1 (jsonfeed.org). */
export function writeJsonFeed({ entries }: FeedContent): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Tidegate incidents',
    language: 'en',
    authors: [{ name: 'Tidegate' }],
    items: entries.map((entry) => ({
      id: entry.urn,
      title: entry.title,
      content_text: entry.text,
      date_published: entry.openedAt.toISOString(),
      date_modified: entry.updatedAt.toISOString(),
      tags: [entry.kind, entry.state, ...entry.services],
      _tidegate: { incident: entry.incident },
    })),
  });
}
