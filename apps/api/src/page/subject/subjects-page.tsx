import type { SubjectPage, SubjectView } from '@tidegate/store';
import { Badge, type MarkKind } from '../layout/mark.tsx';
import { PartPager } from '../layout/part-pager.tsx';
import { Time } from '../layout/time.tsx';

export interface SubjectsPageProps {
  readonly subjects: SubjectPage;
  readonly from: number;
  /** On one page. */
  readonly most: number;
}

/** Devices and tunnels under their names, as webhooks and polls left them; those that are broken come first. */
export function SubjectsPage({ subjects: { items, total }, from, most }: SubjectsPageProps) {
  return (
    <>
      <h1>Devices and tunnels</h1>
      <p class="hint">What webhooks and polls said last: a signal and no proof. Only a verification opens a gate.</p>
      <section id="list" data-live="" aria-label="Devices and tunnels, broken ones first">
        {total === 0 ? (
          <p class="empty">None was heard of yet. Each appears with its first webhook, or with the first poll.</p>
        ) : null}
        {items.length === 0 ? null : (
          <ul class="rows">
            {items.map((subject) => (
              <Subject subject={subject} />
            ))}
          </ul>
        )}
        <PartPager path="/subjects" total={total} from={from} most={most} />
      </section>
    </>
  );
}

function Subject({ subject }: { subject: SubjectView }) {
  const { alias, type, name, publicId, device, group, services, changedAt } = subject;
  const { mark, says } = tellStatus(subject);
  return (
    <li>
      <strong>
        {type === 'device' ? 'Device' : 'Tunnel'} {name ?? publicId ?? alias}
      </strong>
      <Badge kind={mark}>{says}</Badge>
      <span class="meta">
        {device === null ? '' : `of ${device.name ?? device.alias}, `}
        {publicId === null || name === null ? '' : `number ${publicId}, `}
        group {group}
        {changedAt === null ? null : (
          <>
            , changed <Time at={changedAt} />
          </>
        )}
        {name === null && publicId === null ? '' : `, ${alias}`}
      </span>
      {services.length === 0 ? null : <span class="meta">Needed by {services.join(', ')}</span>}
    </li>
  );
}

/** A webhook counts before a poll; where they differ, both are told. */
function tellStatus({ status, polled, suspect }: SubjectView): { readonly mark: MarkKind; readonly says: string } {
  if (suspect) return { mark: 'unknown', says: 'not to be trusted' };
  if (status === null && polled === null) return { mark: 'unknown', says: 'not known' };
  if (status === null) return { mark: polled === 'connected' ? 'pass' : 'fail', says: `${polled}, says the poll` };
  if (polled === null || polled === status) return { mark: status === 'connected' ? 'pass' : 'fail', says: status };
  return { mark: status === 'connected' ? 'unknown' : 'fail', says: `${status}, but the poll says ${polled}` };
}
