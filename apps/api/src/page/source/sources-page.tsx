import type { SourceRow } from '@tidegate/store';
import { Badge } from '../layout/mark.tsx';
import { Since } from '../layout/time.tsx';
import { DELIVERY_WORDS } from '../words/source-words.ts';

/** The registered webhooks: when each was last heard, and how its deliveries went. */
export function SourcesPage({ sources, at }: { sources: readonly SourceRow[]; at: Date }) {
  return (
    <>
      <h1>Sources</h1>
      <section id="list" data-live="" aria-label="Sources by name">
        {sources.length === 0 ? <p class="empty">No source is configured: without one nothing is heard.</p> : null}
        <ul class="rows">
          {sources.map((source) => (
            <Source source={source} at={at} />
          ))}
        </ul>
      </section>
    </>
  );
}

function Source({ source, at }: { source: SourceRow; at: Date }) {
  const { name, group, watch, lastSeenAt, counters, firstRejection, secrets } = source;
  const counts = Object.entries(counters).sort(([, a], [, b]) => b - a);
  return (
    <li>
      <strong>{name}</strong>
      {lastSeenAt === null ? (
        <Badge kind="unknown">never heard</Badge>
      ) : (
        <Badge kind="pass">
          heard <Since at={lastSeenAt} now={at} /> ago
        </Badge>
      )}
      <span class="meta">
        group {group}, watches {watch === 'all' ? 'everything' : 'what is linked'}
        {secrets.length > 1 ? `, ${secrets.length} live secrets` : ''}
      </span>
      {counts.length === 0 ? null : (
        <span class="meta">
          {counts.map(([outcome, n]) => `${n} ${DELIVERY_WORDS[outcome] ?? outcome.replaceAll('_', ' ')}`).join(', ')}
        </span>
      )}
      {firstRejection === null ? null : (
        <span class="meta">
          Some deliveries were not understood: see <code>tidegate quarantine list</code>.
        </span>
      )}
    </li>
  );
}
