import type { IncidentDetail, IncidentRow } from '@tidegate/store';

/** What happens to an incident as a whole; says nothing of one service or of what else hangs on the device. */
export const ABOUT_THE_WHOLE: ReadonlySet<string> = new Set([
  'group.blipped',
  'incident.opened',
  'incident.reopened',
  'incident.kind_changed',
  'incident.acknowledged',
  'incident.merged',
  'incident.resolved',
  'flapping.started',
  'flapping.goes_on',
  'flapping.settled',
  'notification.sent',
  'notification.muted',
  'notification.given_up',
]);

/** Events whose sentence is about one service, and names it. */
const ABOUT_A_SERVICE = /^(?:gate|verification|callbacks)\./;

/** What a key sees of an incident: all of it, or the part that concerns its own services. */
export interface LimitedDetail {
  readonly incident: IncidentDetail;
  readonly whole: boolean;
}

/** An incident's row without the services a key may not see; its summary would name them, so it is written anew. */
export function limitRow<R extends IncidentRow>(row: R, visible: readonly string[] | null): R {
  if (isWhole(row, visible)) return row;
  const services = row.services.filter((service) => visible?.includes(service));
  const summary = `An incident of kind ${row.kind} around ${row.groupName ?? row.groupAlias}; services: ${services.join(', ')}.`;
  return { ...row, services, summary, firstBroken: null };
}

/** The same for the detail: of timeline and verifications only what concerns the visible services or the whole is left. */
export function limitDetail(detail: IncidentDetail, visible: readonly string[] | null): LimitedDetail {
  if (isWhole(detail, visible)) return { incident: detail, whole: true };
  const row = limitRow(detail, visible);
  const own = new Set(row.services);
  const timeline = limitTimeline(detail, detail.timeline, visible);
  const verifications = detail.verifications.filter(({ service }) => service !== null && own.has(service));
  const gates = detail.gates.filter(({ service }) => own.has(service));
  return { incident: { ...row, subjects: [], subjectCount: 0, timeline, verifications, gates }, whole: false };
}

/** Of a timeline what concerns the visible services, or the incident as a whole. */
export function limitTimeline<T extends { readonly event: string; readonly why: string }>(
  row: IncidentRow,
  timeline: readonly T[],
  visible: readonly string[] | null,
): T[] {
  if (isWhole(row, visible)) return [...timeline];
  const own = new Set(row.services.filter((service) => visible?.includes(service)));
  const foreign = new Set(row.services.filter((service) => !own.has(service)));
  return timeline.filter(({ event, why }) => {
    if (!ABOUT_A_SERVICE.test(event)) return ABOUT_THE_WHOLE.has(event);
    const named = namesIn(why);
    return named.some((name) => own.has(name)) && !named.some((name) => foreign.has(name));
  });
}

function isWhole(row: IncidentRow, visible: readonly string[] | null): boolean {
  return visible === null || row.services.every((service) => visible.includes(service));
}

/** Every word of a sentence that could be the name of a service; the full stop at its end may belong to either. */
function namesIn(sentence: string): string[] {
  const words = sentence.split(/[^A-Za-z0-9._-]+/).filter((word) => word !== '');
  return words.flatMap((word) => [word, word.replace(/\.+$/, '')]);
}
