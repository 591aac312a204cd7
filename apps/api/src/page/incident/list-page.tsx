import type { IncidentRow, Page } from '@tidegate/store';
import { Pager } from '../layout/pager.tsx';
import { IncidentCard } from './incident-card.tsx';
import type { Mute } from './load-mutes.ts';

export type ListedState = 'open' | 'acknowledged' | 'resolved' | 'all';

const TABS: readonly { readonly state: ListedState; readonly label: string }[] = [
  { state: 'open', label: 'Open' },
  { state: 'acknowledged', label: 'Acknowledged' },
  { state: 'resolved', label: 'Resolved' },
  { state: 'all', label: 'All' },
];

const EMPTY: Record<ListedState, string> = {
  open: 'No incident is open that nobody has acknowledged.',
  acknowledged: 'Nobody has an incident in hand.',
  resolved: 'None was resolved yet.',
  all: 'There was none yet. The first one opens when a device or tunnel stays away longer than its policy allows.',
};

export interface IncidentListProps {
  readonly state: ListedState;
  readonly page: Page<IncidentRow>;
  readonly mutes: ReadonlyMap<string, Mute>;
  readonly at: Date;
  /** Whether a cursor was asked for. */
  readonly further: boolean;
}

export function IncidentListPage({ state, page, mutes, at, further }: IncidentListProps) {
  return (
    <>
      <h1>Incidents</h1>
      <nav aria-label="State" class="tabs">
        {TABS.map((tab) => (
          <a href={`/incidents?state=${tab.state}`} aria-current={tab.state === state ? 'page' : undefined}>
            {tab.label}
          </a>
        ))}
      </nav>
      <section id="list" data-live="" aria-label="Incidents, newest first">
        {page.items.length === 0 ? (
          <p class="empty">{EMPTY[state]}</p>
        ) : (
          <ul class="cards">
            {page.items.map((row) => (
              <IncidentCard row={row} now={at} mute={mutes.get(row.id)} />
            ))}
          </ul>
        )}
        <Pager path="/incidents" query={{ state }} nextCursor={page.nextCursor} further={further} />
      </section>
    </>
  );
}
