import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { forgetEndedSecrets } from '../signing-secret/list-signing-secrets.ts';
import { createMonths } from './months.ts';
import { type PrunedCallbacks, pruneCallbacks } from './prune-callbacks.ts';
import { pruneDataKeys } from './prune-data-keys.ts';
import { type PrunedDeliveries, pruneDeliveries } from './prune-deliveries.ts';
import { pruneEvents } from './prune-events.ts';
import { pruneIncidents, pruneVerifications } from './prune-incidents.ts';
import { pruneNotifications } from './prune-notifications.ts';
import { type PrunedObservations, pruneObservations } from './prune-observations.ts';
import { PAGE, prunePages } from './prune-page.ts';

/** Workers that prune meet on it. */
const LOCK = 7_413_005;
/** The connection that holds the lock would count as lost if nothing came from it while the others work. */
const SPEAK_EVERY_MS = 5000;

/** How long each kind of row is kept after it was received, finished, resolved or expired. */
export interface RetentionPeriods {
  readonly observationsMs: number;
  readonly incidentsMs: number;
  readonly verificationsMs: number;
  readonly callbacksMs: number;
  readonly idempotencyMs: number;
  readonly quarantineMs: number;
}

/**
 * How many rows went, by kind; `other` are blips, silences, retired receivers, ended signing secrets and sessions, `months`
 * partitions and not rows.
 */
export interface Pruned extends PrunedObservations, PrunedDeliveries, PrunedCallbacks {
  readonly incidents: number;
  readonly verifications: number;
  readonly events: number;
  readonly quarantine: number;
  readonly dataKeys: number;
  readonly other: number;
}

/**
 * Removes what is older than its retention and nothing refers to, in statements of bounded size. Audit rows are never
 * touched: each vouches for the one before it. One process at a time.
 * @returns null when another process is at it
 */
export async function prune(sql: Sql, periods: RetentionPeriods): Promise<Pruned | null> {
  try {
    const lease = await sql.reserve();
    try {
      const [lock] = await lease<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK}) as taken`;
      if (!lock?.taken) return null;
      const speaking = setInterval(() => void lease`select 1`.catch(() => undefined), SPEAK_EVERY_MS);
      try {
        return await pruneAll(sql, periods);
      } finally {
        clearInterval(speaking);
        await lease`select pg_advisory_unlock(${LOCK})`;
      }
    } finally {
      lease.release();
    }
  } catch (error) {
    throw toStoreError(error);
  }
}

async function pruneAll(sql: Sql, periods: RetentionPeriods): Promise<Pruned> {
  const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  const now = clock?.now.getTime() ?? 0;
  const before = (ms: number) => new Date(now - ms);
  const { observationsMs, incidentsMs, verificationsMs, callbacksMs, idempotencyMs, quarantineMs } = periods;
  await createMonths(sql);
  const observed = await pruneObservations(sql, before(observationsMs));
  const delivered = await pruneDeliveries(sql, before(observationsMs));
  const months = observed.months + delivered.months;
  // Incidents before the verifications they cite.
  const incidents = await pruneIncidents(sql, before(incidentsMs));
  const verifications = await pruneVerifications(sql, before(verificationsMs));
  const events = await pruneEvents(sql, before(incidentsMs));
  const called = await pruneCallbacks(sql, before(callbacksMs), before(idempotencyMs));
  const quarantine = await pruneQuarantine(sql, before(quarantineMs));
  const other =
    (await pruneNotifications(sql, before(incidentsMs))) +
    (await pruneBlips(sql, before(observationsMs))) +
    (await pruneSilences(sql, before(incidentsMs))) +
    (await pruneReceivers(sql, before(observationsMs))) +
    (await forgetEndedSecrets(sql)) +
    (await pruneSessions(sql));
  // A value may wait outside the database for a while before it is stored: its key is kept as long as anything is.
  const dataKeys = await pruneDataKeys(sql, before(Math.max(...Object.values(periods))));
  return {
    ...observed,
    ...delivered,
    months,
    incidents,
    verifications,
    events,
    ...called,
    quarantine,
    other,
    dataKeys,
  };
}

function pruneQuarantine(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from quarantine where id in (
        select id from quarantine where received_at < ${cutoff} order by received_at, id limit ${PAGE} for update skip locked)`;
    return count;
  });
}

function pruneBlips(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from blip where id in (select id from blip where recorded_at < ${cutoff} limit ${PAGE} for update skip locked)`;
    return count;
  });
}

function pruneSilences(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from silence where id in (
        select id from silence where expires_at < ${cutoff} order by expires_at limit ${PAGE} for update skip locked)`;
    return count;
  });
}

/** A receiver that has ended is not listed for ever: each start in a fresh data folder is another one. */
function pruneReceivers(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from receiver where id in (
        select id from receiver where retired_at < ${cutoff} order by retired_at limit ${PAGE} for update skip locked)`;
    return count;
  });
}

/** One that was idle too long goes when its longest time is over: until then it is refused wherever it is presented. */
function pruneSessions(sql: Sql): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from session where lookup_hash in (
        select lookup_hash from session where expires_at < clock_timestamp() order by expires_at limit ${PAGE} for update skip locked)`;
    return count;
  });
}
