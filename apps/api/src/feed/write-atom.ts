import type { FeedContent, FeedEntry } from './feed-entry.ts';
import { toXml, type XmlElement } from './to-xml.ts';

/** The feed as Atom (RFC 4287). Links are relative to where it was fetched, since behind a proxy only the reader knows that. */
export function writeAtom({ urn, updatedAt, entries }: FeedContent): string {
  return toXml({
    name: 'feed',
    attributes: { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': 'en' },
    content: [
      { name: 'id', content: urn },
      { name: 'title', content: 'Tidegate incidents' },
      { name: 'updated', content: updatedAt.toISOString() },
      { name: 'author', content: [{ name: 'name', content: 'Tidegate' }] },
      { name: 'link', attributes: { rel: 'self', type: 'application/atom+xml', href: '/feeds/incidents.atom' } },
      { name: 'generator', content: 'Tidegate' },
      ...entries.map(toElement),
    ],
  });
}

function toElement(entry: FeedEntry): XmlElement {
  const terms = [entry.kind, entry.state, ...entry.services];
  return {
    name: 'entry',
    content: [
      { name: 'id', content: entry.urn },
      { name: 'title', content: entry.title },
      { name: 'published', content: entry.openedAt.toISOString() },
      { name: 'updated', content: entry.updatedAt.toISOString() },
      { name: 'link', attributes: { rel: 'alternate', type: 'text/html', href: `/incidents/${entry.incident}` } },
      ...terms.map((term): XmlElement => ({ name: 'category', attributes: { term } })),
      { name: 'content', attributes: { type: 'text' }, content: entry.text },
    ],
  };
}
