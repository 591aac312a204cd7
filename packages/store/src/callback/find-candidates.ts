import { randomBytes } from 'node:crypto';
import type { Transaction } from '../database/connect.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';
import { harmless } from './evidence.ts';
import { headsOfKeys, isKeyUnderWay } from './heads-of-keys.ts';
import type { Pair } from './pace.ts';
import type { Grant } from './plan-grants.ts';

/** A callback that may begin, if its destination has a place for it. */
export interface Candidate extends Pair {
  readonly id: string;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** There are more ordering keys than one claim looks at: the next may find more. */
  readonly moreKeys: boolean;
}

export interface CandidateTerms {
  /** How many of a destination to name at most, whatever it is granted. */
  readonly limit: number;
  readonly silentAfterMs: number;
}

/** Ordering keys that one claim looks at, of all its services together; each claim begins at another. */
const MOST_KEYS = 500;
/** Mostly these few are enough: most keys have something that may begin. Then the rest is not looked at. */
const FIRST_KEYS = 64;
const FIRST_KEYS_PER_PLACE = 4;

/**
 * The callbacks that may begin now under these grants, in turn: longest due first for each destination, the destinations of a
 * service by turns, the services by turns. What cannot begin takes no place, and costs no more for being much: what waits
 * behind its ordering key is never looked at. The caller has locked the gates, so no other claim changes what was found.
 */
export async function findCandidates(
  tx: Transaction,
  grants: readonly Grant[],
  terms: CandidateTerms,
): Promise<Candidates> {
  if (grants.length === 0) return { candidates: [], moreKeys: false };
  const services = new Set(grants.map((grant) => grant.serviceId));
  const most = Math.max(terms.limit, Math.ceil(MOST_KEYS / services.size));
  const first = Math.max(FIRST_KEYS, terms.limit * FIRST_KEYS_PER_PLACE);
  if (first < most) {
    const found = await lookAtKeys(tx, grants, terms, first);
    if (!found.moreKeys || found.candidates.length >= terms.limit) return found;
  }
  return lookAtKeys(tx, grants, terms, most);
}

/** @param most of a service */
async function lookAtKeys(
  tx: Transaction,
  grants: readonly Grant[],
  { limit, silentAfterMs }: CandidateTerms,
  most: number,
): Promise<Candidates> {
  const keys = { service: tx`s.service_id`, start: randomBytes(32), most };
  const rows = await tx<((Candidate | { readonly id: null }) & { readonly place: number })[]>`
    with now as materialized (select clock_timestamp() as at),
    p as materialized (select * from ${granted(tx, grants, limit)} where ${receiversHeard(tx, silentAfterMs)} or p.forced),
    heads as materialized (
      select h.* from (select distinct service_id from p) s cross join lateral ${headsOfKeys(tx, keys)} h
    ), found as (
      select p.service_id, p.origin, p.span, c.id, c.due_at, c.created_at from p cross join lateral (
        select c.id, c.due_at, c.created_at from callback c
        where c.service_id = p.service_id and c.generation = p.generation and c.origin = p.origin and c.ordering_hash is null
          and ${mayBegin(tx)}
        order by c.due_at, c.created_at, c.id limit p.span
      ) c
      union all
      select p.service_id, p.origin, p.span, c.id, c.due_at, c.created_at from p
      join heads c on c.service_id = p.service_id and c.generation = p.generation and c.origin = p.origin and not ${isKeyUnderWay(tx)}
        and ${mayBegin(tx)}
    ), turns as (
      select *, row_number() over (partition by service_id, origin order by due_at, created_at, id) as turn from found
    )
    select t.id, t.service_id, t.origin, l.place from (select coalesce(max(place), 0) as place from heads) l
    left join turns t on t.turn <= t.span
    order by row_number() over (partition by t.service_id order by t.turn, t.due_at, t.created_at, t.id), t.due_at, t.created_at, t.id`;
  const candidates = rows.filter((row) => row.id !== null) as Candidate[];
  return { candidates, moreKeys: rows.some((row) => row.place >= most) };
}

/** SQL for callback `c` of pair `p`: it is due, and neither its gate nor an attempt before is in the way. */
function mayBegin(tx: Transaction) {
  return tx`(c.state in ('queued', 'retrying') and c.due_at <= (select at from now)
    and (c.deadline_at is null or c.deadline_at > (select at from now)) and (p.allowed or c.passes_held) and ${harmless(tx)})`;
}

function granted(tx: Transaction, grants: readonly Grant[], limit: number) {
  const column = (read: (grant: Grant) => number | boolean) => toPlainArray(grants.map(read));
  return tx`unnest(${column((one) => one.serviceId)}::int[], ${column((one) => one.gate.generation)}::int8[],
    ${column((one) => one.gate.allowed)}::bool[], ${column((one) => one.gate.forced)}::bool[],
    ${toTextArray(grants.map((one) => one.origin))}::text[], ${column((one) => Math.min(one.grant, limit))}::int[])
    as p (service_id, generation, allowed, forced, origin, span)`;
}
