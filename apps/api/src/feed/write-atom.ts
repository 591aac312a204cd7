import { FEED_PATHS, type FeedContent, type FeedEntry, pageOf } from './feed-entry.ts';
import { toXml, type XmlElement } from './to-xml.ts';

/**
 * The feed as Atom (RFC 4287). Where nobody has said how the api is reached, links are relative to where the feed was fetched:
 * behind a proxy only its reader knows that.
 */
export function writeAtom({ urn, pageUrl, updatedAt, entries }: FeedContent): string {
  const base = pageUrl ?? '';
  return toXml({
    name: 'feed',
    attributes: { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': 'en' },
    content: [
      { name: 'id', content: urn },
      { name: 'title', content: 'Tidegate incidents' },
      { name: 'updated', content: updatedAt.toISOString() },
      { name: 'author', content: [{ name: 'name', content: 'Tidegate' }] },
      linkTo('self', 'application/atom+xml', `${base}${FEED_PATHS.atom}`),
      linkTo('alternate', 'text/html', `${base}/`),
      { name: 'generator', content: 'Tidegate' },
      ...entries.map((entry) => toElement(entry, base)),
    ],
  });
}

function toElement(entry: FeedEntry, base: string): XmlElement {
  const terms = [entry.kind, entry.state, ...entry.services];
  return {
    name: 'entry',
    content: [
      { name: 'id', content: entry.urn },
      { name: 'title', content: entry.title },
      { name: 'published', content: entry.openedAt.toISOString() },
      { name: 'updated', content: entry.updatedAt.toISOString() },
      linkTo('alternate', 'text/html', `${base}${pageOf(entry)}`),
      ...terms.map((term): XmlElement => ({ name: 'category', attributes: { term } })),
      { name: 'content', attributes: { type: 'text' }, content: entry.text },
    ],
  };
}

function linkTo(rel: string, type: string, href: string): XmlElement {
  return { name: 'link', attributes: { rel, type, href } };
}
