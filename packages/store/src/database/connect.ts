import postgres from 'postgres';
import { createDial } from './dial.ts';

/** A pool of connections to the one truth. int8 is read as a number: ids and counts fit; ticks are always selected as text. */
export type Sql = postgres.Sql<{ bigint: number }>;

/** The same inside a transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;

const FIRST_BACKOFF_S = 0.1;
const LONGEST_BACKOFF_S = 1;

/**
 * Opens a pool. Columns come back in camelCase, as the drizzle schema names them.
 * @param url postgres:// URL; never logged
 * @param options `application` names the process in pg_stat_activity; `connections` bounds the pool
 */
export function connect(url: string, options: { application: string; connections?: number }): Sql {
  // Documented by postgres.js, though not in its types.
  const dialing: object = { socket: createDial() };
  return postgres(url, {
    ...dialing,
    max: options.connections ?? 10,
    connect_timeout: 5,
    idle_timeout: 60,
    // A pooled connection that outlives a failover would go on talking to a deposed primary.
    max_lifetime: 1800,
    transform: { column: { from: postgres.toCamel } },
    types: { bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: Number } },
    connection: {
      application_name: `tidegate-${options.application}`,
      // The promise of a 202 rests on these two, whatever the server's default is (I1).
      synchronous_commit: 'on',
      default_transaction_isolation: 'read committed',
      idle_in_transaction_session_timeout: 30_000,
    },
    // The default waits up to twenty seconds between tries: an outage of the database would outlast itself.
    backoff: (retries) => Math.min(LONGEST_BACKOFF_S, FIRST_BACKOFF_S * 2 ** retries),
    onnotice: () => {},
  });
}
