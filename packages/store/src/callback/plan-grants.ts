import { type Circuit, CLOSED_CIRCUIT, planCircuit, planRamp, type Ramp } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { toPlainArray } from '../observation/to-array-literal.ts';
import { lockPace, type Pair, pairKey, type RampPolicies } from './pace.ts';
import type { SendingGate } from './sending-gates.ts';

/** How many callbacks of a service may begin now at one destination. */
export interface Grant extends Pair {
  readonly gate: SendingGate;
  readonly ramp: Ramp;
  /** As far as the ramp goes; the permits of a destination are for all its services together. */
  readonly grant: number;
}

export interface Grants {
  readonly grants: readonly Grant[];
  /** By destination: how many may begin there in all, for one that is not known to answer. */
  readonly permits: ReadonlyMap<string, number>;
  /** By `pairKey`: in which second something began last, epoch ms. */
  readonly lastBegunMs: ReadonlyMap<string, number>;
  /** Circuits whose time was over: half-open from now on. */
  readonly circuits: ReadonlyMap<string, Circuit>;
  /** When a circuit that is open is looked at again, epoch ms; null when none is. */
  readonly againAtMs: number | null;
  readonly nowMs: number;
}

const NOTHING: Grants = {
  grants: [],
  permits: new Map(),
  lastBegunMs: new Map(),
  circuits: new Map(),
  againAtMs: null,
  nowMs: 0,
};

/** Asks ramp and circuit of every destination that something waits for. */
export async function planGrants(
  tx: Transaction,
  gates: readonly SendingGate[],
  policyOf: RampPolicies,
): Promise<Grants> {
  const pairs = await findPairs(tx, gates);
  if (pairs.length === 0) return NOTHING;
  const pace = await lockPace(tx, pairs);
  // Counted after the locks, which every start and end of an attempt takes: nobody else moves these numbers.
  const flights = await countFlights(tx, pairs);
  const circuits = new Map<string, Circuit>();
  const permits = new Map<string, number>();
  let againAtMs: number | null = null;
  for (const origin of new Set(pairs.map((pair) => pair.origin))) {
    const before = pace.circuits.get(origin) ?? CLOSED_CIRCUIT;
    const plan = planCircuit(before, flights.byOrigin.get(origin) ?? 0, pace.nowMs);
    if (plan.circuit !== before) circuits.set(origin, plan.circuit);
    if (plan.permits !== null) permits.set(origin, plan.permits);
    if (plan.circuit.state === 'open') againAtMs = Math.min(againAtMs ?? Infinity, plan.circuit.openUntilMs);
  }
  const gateOf = new Map(gates.map((gate) => [gate.serviceId, gate]));
  const grants = pairs.flatMap((pair): Grant[] => {
    const gate = gateOf.get(pair.serviceId);
    if (gate === undefined) return [];
    const inFlight = flights.byPair.get(`${pairKey(pair)} ${gate.generation}`) ?? 0;
    const { generation, releasing } = gate;
    const facts = { generation, releasing, inFlight, nowMs: pace.nowMs };
    const plan = planRamp(pace.ramps.get(pairKey(pair)) ?? null, facts, policyOf(gate.policyName));
    const grant = Math.min(plan.grant, permits.get(pair.origin) ?? plan.grant);
    return [{ ...pair, gate, ramp: plan.ramp, grant }];
  });
  const lastBegunMs = new Map([...pace.ramps].map(([key, ramp]) => [key, ramp.secondAtMs]));
  return { grants, permits, lastBegunMs, circuits, againAtMs, nowMs: pace.nowMs };
}

/** The destinations that released callbacks wait for: one step of an index for each, not one for each callback. */
async function findPairs(tx: Transaction, gates: readonly SendingGate[]): Promise<Pair[]> {
  return tx<Pair[]>`
    select g.service_id, p.origin from unnest(${toPlainArray(gates.map((gate) => gate.serviceId))}::int[],
      ${toPlainArray(gates.map((gate) => gate.generation))}::int8[]) as g (service_id, generation)
    cross join lateral (
      with recursive step as (
        (select c.origin from callback c where c.service_id = g.service_id and c.generation = g.generation
           and c.state in ('queued', 'retrying') order by c.origin limit 1)
        union all
        select (select c.origin from callback c where c.service_id = g.service_id and c.generation = g.generation
           and c.state in ('queued', 'retrying') and c.origin > step.origin order by c.origin limit 1)
        from step where step.origin is not null
      ) select origin from step where origin is not null
    ) p order by g.service_id, p.origin`;
}

async function countFlights(tx: Transaction, pairs: readonly Pair[]) {
  const rows = await tx<(Pair & { generation: number; count: number })[]>`
    select c.service_id, c.origin, c.generation, count(*)::int as count from callback c
    where c.state = 'sending' and c.origin = any(${[...new Set(pairs.map((pair) => pair.origin))]}::text[])
    group by c.service_id, c.origin, c.generation`;
  const byOrigin = new Map<string, number>();
  for (const { origin, count } of rows) byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + count);
  const byPair = new Map(rows.map((row) => [`${pairKey(row)} ${row.generation}`, row.count]));
  return { byOrigin, byPair };
}
