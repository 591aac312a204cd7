import type { GateState } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/** A verification this worker may run; only its end, under the same generation, may move the gate. */
export interface ClaimedVerification {
  readonly id: string;
  readonly serviceId: number;
  readonly service: string;
  readonly generation: number;
  readonly startedAt: Date;
  readonly stateBefore: GateState;
  readonly group: string;
  /** How API v2's answer is matched to the service's device and tunnel; null when not configured or not linked yet. */
  readonly deviceFingerprint: Buffer | null;
  readonly tunnelFingerprint: Buffer | null;
  /** The keys these were made under: while one is rotated, the two may differ. */
  readonly deviceFingerprintVersion: number | null;
  readonly tunnelFingerprintVersion: number | null;
  /** Whether the config names a device, so that `not linked` can be told from `not configured`. */
  readonly namesDevice: boolean;
  readonly attempt: number;
}

/**
 * Claims gates whose `verify_due_at` has come, each under a fresh run id. The claim is a lease: a worker that dies leaves
 * the gate due again after `leaseMs`. A gate that is open stays open while it is re-checked.
 * @param ids one fresh verification id per gate that may be claimed
 */
export async function claimVerifications(
  sql: Sql,
  ids: readonly string[],
  leaseMs: number,
): Promise<ClaimedVerification[]> {
  return inTransaction(sql, async (tx) => {
    return tx<ClaimedVerification[]>`
      with due as materialized (
        select g.service_id, g.state from gate g
        where g.verify_due_at <= clock_timestamp()
        order by g.verify_due_at, g.service_id limit ${ids.length}
        for no key update skip locked
      ), numbered as (
        select d.service_id, d.state, (${[...ids]}::text[])[row_number() over (order by d.service_id)] as id from due d
      )
      update gate g set
        state = case when g.state = 'held' then 'verifying' else g.state end,
        verify_run = n.id,
        verify_due_at = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      from numbered n
      join service s on s.id = n.service_id
      left join subject d on d.id = s.device_id
      left join subject t on t.id = s.tunnel_id
      where g.service_id = n.service_id
      returning n.id, g.service_id, s.name as service, g.generation, clock_timestamp() as started_at, n.state as state_before,
        s.group_name as group, d.fingerprint as device_fingerprint, t.fingerprint as tunnel_fingerprint,
        d.fingerprint_version as device_fingerprint_version, t.fingerprint_version as tunnel_fingerprint_version, s.device_ref is not null as names_device,
        g.verify_attempt as attempt`;
  });
}
