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

/** Judges a release. A key is `destination.ordering key.turn`, so that the log alone tells contract and order. */
export async function judge(
  { sql, destinations }: Outage,
  held: readonly { fromMs: number; untilMs: number }[],
): Promise<Judgement> {
  const { arrivals } = destinations;
  const rows = await sql<Row[]>`select repeat, state, count(*)::int as count from callback group by repeat, state`;
  const total = rows.reduce((sum, { count }) => sum + count, 0);
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
  const begunWhileHeld = await countBegun(sql, held);
  const delivered = inState('delivered');
  const needsReview = inState('needs_review');
  const broken = {
    'forbidden, but requested twice': repeated,
    'out of order under a key': disordered,
    'begun while the gate was held': begunWhileHeld,
    'delivered, but never requested': Math.max(0, delivered - requestsOf.size),
    'neither delivered nor before a person': total - delivered - needsReview,
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

/** From the 202 of each Disconnected until the device came back. */
async function countBegun(sql: Outage['sql'], held: readonly { fromMs: number; untilMs: number }[]): Promise<number> {
  let count = 0;
  for (const { fromMs, untilMs } of held) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from attempt where started_at > ${new Date(fromMs)} and started_at < ${new Date(untilMs)}`;
    count += row?.count ?? 0;
  }
  return count;
}
