import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/**
 * Extends the lease of a verification that is still running, waiting for its turn at a busy destination included.
 * @returns false when the gate has moved on: the run's result will count for nothing
 */
export async function renewVerification(
  sql: Sql,
  run: { serviceId: number; id: string },
  leaseMs: number,
): Promise<boolean> {
  try {
    const result = await sql`
      update gate set verify_due_at = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      where service_id = ${run.serviceId} and verify_run = ${run.id}`;
    return result.count > 0;
  } catch (error) {
    throw toStoreError(error);
  }
}
