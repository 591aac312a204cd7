import { FEED_PATHS, type FeedContent, pageOf } from './feed-entry.ts';

/** The feed as JSON Feed 1.1 (jsonfeed.org), whose links must be absolute: without a known address there are none. */
export function writeJsonFeed({ pageUrl, entries }: FeedContent): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Tidegate incidents',
    ...(pageUrl !== null && { home_page_url: `${pageUrl}/`, feed_url: `${pageUrl}${FEED_PATHS.json}` }),
    language: 'en',
    authors: [{ name: 'Tidegate' }],
    items: entries.map((entry) => ({
      id: entry.urn,
      ...(pageUrl !== null && { url: `${pageUrl}${pageOf(entry)}` }),
      title: entry.title,
      content_text: entry.text,
      date_published: entry.openedAt.toISOString(),
      date_modified: entry.updatedAt.toISOString(),
      tags: [entry.kind, entry.state, ...entry.services],
      _tidegate: { incident: entry.incident, since: entry.since.toISOString() },
    })),
  });
}
