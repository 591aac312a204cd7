import { createHash } from 'node:crypto';
import type { Feed, FeedRow } from '@tidegate/store';
import { limitRow, limitTimeline } from '../incident/limit-incident.ts';

export interface FeedEntry {
  /** Stays the same for ever, wherever the api is reached. */
  readonly urn: string;
  readonly incident: string;
  readonly title: string;
  readonly text: string;
  readonly openedAt: Date;
  /** When its present, or last, episode began. */
  readonly since: Date;
  readonly updatedAt: Date;
  readonly kind: string;
  readonly state: string;
  readonly services: readonly string[];
}

/** What both feeds are written from. */
export interface FeedContent {
  readonly urn: string;
  /** Where the api is reached, without a slash at the end; null when nobody has said so. */
  readonly pageUrl: string | null;
  readonly updatedAt: Date;
  readonly entries: readonly FeedEntry[];
}

export const FEED_PATHS = { atom: '/feeds/incidents.atom', json: '/feeds/incidents.json' } as const;

/** The path of the page that tells more of an entry. */
export const pageOf = ({ incident }: FeedEntry): string => `/incidents/${incident}`;

/** An empty feed has not changed since then. */
const BEGINNING = new Date('2026-01-01T00:00:00Z');

/**
 * The feed as a key with these services may see it.
 * @param place the public id of this Tidegate's keyring, since another one has another feed, and where the api is reached
 */
export function toFeedContent(
  feed: Feed,
  visible: readonly string[] | null,
  { installation, pageUrl }: { readonly installation: string; readonly pageUrl: string | null },
): FeedContent {
  const entries = feed.items.map((row) => toEntry(row, visible));
  const scope = visible === null ? 'all' : [...visible].sort().join(',');
  return {
    urn: urnOf(`feed:${installation}:${scope}`),
    pageUrl,
    updatedAt: entries[0]?.updatedAt ?? BEGINNING,
    entries,
  };
}

function toEntry(row: FeedRow, visible: readonly string[] | null): FeedEntry {
  const seen = limitRow(row, visible);
  const told = limitTimeline(row, row.timeline, visible);
  const again =
    row.reopened === 0
      ? []
      : [`Since ${row.since.toISOString()}; opened first ${row.openedAt.toISOString()}, reopened ${row.reopened}×.`];
  const lines = told.map(({ at, why }) => `${new Date(at).toISOString()} ${why}`);
  return {
    urn: urnOf(`incident:${row.id}`),
    incident: row.id,
    title: `${seen.state === 'resolved' ? 'Resolved' : seen.state === 'acknowledged' ? 'Acknowledged' : 'Open'}: ${seen.summary}`,
    text: [seen.summary, ...again, ...lines].join('\n'),
    openedAt: row.openedAt,
    since: row.since,
    updatedAt: row.updatedAt,
    kind: row.kind,
    state: row.state,
    services: seen.services,
  };
}

/** A UUID made of a name (RFC 9562, version 8): ids of feeds have to be IRIs, and ours are not. */
function urnOf(name: string): string {
  const bytes = createHash('sha256').update(`tidegate:${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}
