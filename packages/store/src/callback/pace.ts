import { type Circuit, CLOSED_CIRCUIT, type Ramp, type RampPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';

/** One service sending to one destination. */
export interface Pair {
  readonly serviceId: number;
  readonly origin: string;
}

/** The ramps and circuits of a transaction's pairs, locked. Lock order: gate, ramp, circuit, callback. */
export interface Pace {
  readonly ramps: Map<string, Ramp>;
  readonly circuits: Map<string, Circuit>;
  /** Postgres' clock, epoch ms. */
  readonly nowMs: number;
}

/** The ramp bounds of a policy by its name. */
export type RampPolicies = (policyName: string) => RampPolicy;

export function pairKey({ serviceId, origin }: Pair): string {
  return `${serviceId} ${origin}`;
}

interface RampRow extends Pair {
  readonly generation: number;
  readonly span: number;
  readonly second: number;
  readonly used: number;
  readonly nowMs: number;
}

/** Locks the ramps of these pairs, made where they are missing, and the circuits of their destinations. */
export async function lockPace(tx: Transaction, pairs: readonly Pair[]): Promise<Pace> {
  const services = toPlainArray(pairs.map((pair) => pair.serviceId));
  const origins = toTextArray(pairs.map((pair) => pair.origin)) ?? '{}';
  const wanted = tx`unnest(${services}::int[], ${origins}::text[]) as p (service_id, origin)`;
  const read = () => tx<RampRow[]>`
    select r.service_id, r.origin, r.generation, r.span, extract(epoch from r.second_at)::float8 * 1000 as second, r.used,
      extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
    from ramp r join ${wanted} on r.service_id = p.service_id and r.origin = p.origin
    order by r.service_id, r.origin for no key update of r`;
  let rows = await read();
  if (rows.length < new Set(pairs.map(pairKey)).size) {
    // Under generation 0, which no gate has: a new pair begins with its canary.
    await tx`insert into ramp (service_id, origin, generation, span, second_at, used)
             select distinct p.service_id, p.origin, 0, 1, 'epoch'::timestamptz, 0 from ${wanted}
             order by 1, 2 on conflict do nothing`;
    rows = await read();
  }
  const circuits = await tx<(Omit<Circuit, 'openUntilMs'> & { origin: string; openUntilMs: number })[]>`
    select c.origin, c.state, c.failures, c.successes, c.openings, extract(epoch from c.open_until)::float8 * 1000 as open_until_ms
    from circuit c where c.origin = any(${origins}::text[]) order by c.origin for no key update`;
  return {
    ramps: new Map(
      rows.map((row) => [
        pairKey(row),
        { generation: row.generation, window: row.span, secondAtMs: row.second, used: row.used },
      ]),
    ),
    circuits: new Map(circuits.map(({ origin, ...circuit }) => [origin, circuit])),
    nowMs: Math.max(0, ...rows.map((row) => row.nowMs)),
  };
}

/** Saves ramps and circuits that this transaction has locked and changed. A closed circuit without failures needs no row. */
export async function savePace(
  tx: Transaction,
  ramps: readonly (Pair & Ramp)[],
  circuits: ReadonlyMap<string, Circuit>,
): Promise<void> {
  if (ramps.length > 0) {
    await tx`
      update ramp r set generation = v.generation, span = v.span, used = v.used, second_at = to_timestamp(v.second / 1000)
      from unnest(${toPlainArray(ramps.map((one) => one.serviceId))}::int[], ${toTextArray(ramps.map((one) => one.origin))}::text[],
        ${toPlainArray(ramps.map((one) => one.generation))}::int8[], ${toPlainArray(ramps.map((one) => one.window))}::int[],
        ${toPlainArray(ramps.map((one) => one.used))}::int[], ${toPlainArray(ramps.map((one) => one.secondAtMs))}::float8[])
        as v (service_id, origin, generation, span, used, second)
      where r.service_id = v.service_id and r.origin = v.origin`;
  }
  for (const [origin, circuit] of [...circuits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (circuit === CLOSED_CIRCUIT) {
      await tx`delete from circuit where origin = ${origin}`;
      continue;
    }
    const { state, failures, successes, openings, openUntilMs } = circuit;
    await tx`
      insert into circuit (origin, state, failures, successes, openings, open_until)
      values (${origin}, ${state}, ${failures}, ${successes}, ${openings}, to_timestamp(${openUntilMs}::float8 / 1000))
      on conflict (origin) do update set state = excluded.state, failures = excluded.failures, successes = excluded.successes,
        openings = excluded.openings, open_until = excluded.open_until`;
  }
}
