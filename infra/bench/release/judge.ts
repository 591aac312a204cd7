import type { Outage } from './start-outage.ts';

/** What a release came to, by the log of the destinations and the states in Postgres. */
export interface Judgement {
  readonly requests: number;
  readonly delivered: number;
  readonly needsReview: number;
  /** Promises, and how often each was broken. */
  readonly broken: Readonly<Record<string, number>>;
}

interface Row {
  readonly repeat: 'deduplicated' | 'forbidden';
  readonly state: string;
  readonly count: number;
}

/**
 * Judges a release of `total` callbacks. A key is `destination.ordering key.turn`, so that the destinations' log alone tells
 * contract and order.
 */
export async function judge(
  { sql, destinations }: Outage,
  { total, held }: { readonly total: number; readonly held: readonly Held[] },
): Promise<Judgement> {
  const { arrivals, effects } = destinations;
  const rows = await sql<Row[]>`select repeat, state, count(*)::int as count from callback group by repeat, state`;
  const inState = (state: string) =>
    rows.filter((row) => row.state === state).reduce((sum, { count }) => sum + count, 0);
  const requestsOf = new Map<string, number>();
  const lastTurn = new Map<string, number>();
  let disordered = 0;
  for (const { key } of arrivals) {
    const first = !requestsOf.has(key);
    requestsOf.set(key, (requestsOf.get(key) ?? 0) + 1);
    const [orderingKey, turn] = splitKey(key);
    if (first && turn < (lastTurn.get(orderingKey) ?? -1)) disordered += 1;
    if (first) lastTurn.set(orderingKey, turn);
  }
  const isForbidden = (key: string) => Number(key.split('.')[0]) % 2 === 1;
  const repeated = [...requestsOf].filter(([key, count]) => isForbidden(key) && count > 1).length;
  const doubled = [...effects].filter(([key, count]) => !isForbidden(key) && count !== 1).length;
  const delivered = inState('delivered');
  const needsReview = inState('needs_review');
  const broken = {
    'deduplicated, but not exactly one effect': doubled,
    'forbidden, but requested twice': repeated,
    'out of order under a key': disordered,
    'begun while the gate was held': await countBegun(sql, held),
    'arrived while it was held, and not begun before': await countArrived({ sql, destinations }, held),
    'delivered, but never requested': Math.max(0, delivered - requestsOf.size),
    'neither delivered nor before a person': Math.abs(total - delivered - needsReview),
    'deduplicated, but not delivered': rows
      .filter(({ repeat, state }) => repeat === 'deduplicated' && state !== 'delivered')
      .reduce((sum, { count }) => sum + count, 0),
  };
  return { requests: arrivals.length, delivered, needsReview, broken };
}

function splitKey(key: string): [string, number] {
  const dot = key.lastIndexOf('.');
  return [key.slice(0, dot), Number(key.slice(dot + 1))];
}

/** From the 202 of a Disconnected until the device came back. */
interface Held {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What arrived while a gate was held must be of an attempt that was on its way by then. */
async function countArrived(
  { sql, destinations }: Pick<Outage, 'sql' | 'destinations'>,
  held: readonly Held[],
): Promise<number> {
  let count = 0;
  for (const { fromMs, untilMs } of held) {
    const late = destinations.arrivals.filter(({ atMs }) => atMs > fromMs && atMs < untilMs);
    const begun = await sql<{ callbackId: string }[]>`
      select distinct callback_id from attempt
      where callback_id = any(${late.map(({ callback }) => callback)}::text[]) and started_at <= ${new Date(fromMs)}
        and (finished_at is null or finished_at >= ${new Date(fromMs)})`;
    const onTheWay = new Set(begun.map(({ callbackId }) => callbackId));
    count += late.filter(({ callback }) => !onTheWay.has(callback)).length;
  }
  return count;
}

async function countBegun(sql: Outage['sql'], held: readonly Held[]): Promise<number> {
  let count = 0;
  for (const { fromMs, untilMs } of held) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from attempt where started_at > ${new Date(fromMs)} and started_at < ${new Date(untilMs)}`;
    count += row?.count ?? 0;
  }
  return count;
}
