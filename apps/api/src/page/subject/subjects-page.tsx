import type { Page, SubjectRow } from '@tidegate/store';
import { Badge, type MarkKind } from '../layout/mark.tsx';
import { Pager } from '../layout/pager.tsx';
import { Time } from '../layout/time.tsx';

/** Devices and tunnels under their names and aliases, as webhooks left them. */
export function SubjectsPage({ page, further }: { page: Page<SubjectRow>; further: boolean }) {
  return (
    <>
      <h1>Devices and tunnels</h1>
      <p class="hint">What webhooks and polls said last: a signal and no proof. Only a verification opens a gate.</p>
      <section id="list" data-live="" aria-label="Subjects, newest first">
        {page.items.length === 0 ? (
          <p class="empty">None was heard of yet. Each appears with its first webhook, or with the first poll.</p>
        ) : (
          <ul class="rows">
            {page.items.map((row) => (
              <Subject row={row} />
            ))}
          </ul>
        )}
        <Pager path="/subjects" query={{}} nextCursor={page.nextCursor} further={further} />
      </section>
    </>
  );
}

function Subject({ row }: { row: SubjectRow }) {
  const { alias, type, name, publicId, device, group, status, suspect, services, changedAt } = row;
  const mark: MarkKind = suspect || status === null ? 'unknown' : status === 'connected' ? 'pass' : 'fail';
  const what = type === 'device' ? 'Device' : 'Tunnel';
  return (
    <li>
      <strong>
        {what} {name ?? publicId ?? alias}
      </strong>
      <Badge kind={mark}>{suspect ? 'not to be trusted' : (status ?? 'not known')}</Badge>
      <span class="meta">
        {name === null && publicId === null ? '' : `${alias}, `}
        {publicId === null ? '' : `number ${publicId}, `}
        group {group}
        {device === null ? '' : `, of ${device}`}
        {changedAt === null ? null : (
          <>
            , changed <Time at={changedAt} />
          </>
        )}
      </span>
      {services.length === 0 ? null : <span class="meta">Needed by {services.join(', ')}</span>}
    </li>
  );
}
