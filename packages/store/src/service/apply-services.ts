import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { resolveSubjects, type SubjectIdentity } from '../subject/resolve-subjects.ts';
import { linkServices } from './link-services.ts';

export interface ServiceConfig {
  readonly name: string;
  readonly source: string;
  readonly group: string;
  readonly deviceRef: string | null;
  readonly tunnelRef: string | null;
  readonly tunnel: SubjectIdentity | null;
  readonly policyName: string;
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
  readonly verifyEveryMs: number;
  /** Hash of all that a verification depends on (probes, policy). */
  readonly probeHash: string;
}

/**
 * Makes the services those of the config. A new one gets a gate that is born held; one whose probes or policy changed has
 * its generation raised (I6); an absent one is retired with its edges.
 */
export async function applyServices(sql: Sql, services: readonly ServiceConfig[]): Promise<void> {
  await inTransaction(sql, async (tx) => {
    // Two workers that start together must not raise each other's generations.
    await tx`select pg_advisory_xact_lock(7413002)`;
    const ended = await retireAbsent(tx, services);
    const tunnels = services.flatMap((service) => (service.tunnel === null ? [] : [service.tunnel]));
    const known = await resolveSubjects(tx, tunnels);
    const changed = ended;
    for (const service of services) {
      const tunnelId = service.tunnel === null ? null : (known[tunnels.indexOf(service.tunnel)]?.id ?? null);
      const { id, differs } = await upsertService(tx, service, tunnelId);
      if (differs) changed.push(id);
    }
    await linkServices(tx, [...new Set(services.map((service) => service.group))], changed);
  });
}

/**
 * Only marks them: their edges go, and their gates are held for good, where subjects and gates are locked in order.
 * @returns ids of retired services whose gate is not at rest yet
 */
async function retireAbsent(tx: Transaction, services: readonly ServiceConfig[]): Promise<number[]> {
  const names = services.map((service) => service.name);
  await tx`update service set retired_at = clock_timestamp() where retired_at is null and name <> all(${names})`;
  const restless = await tx<{ id: number }[]>`
    select s.id from service s join gate g on g.service_id = s.id
    where s.retired_at is not null and (g.verify_due_at is not null or g.verify_run is not null or g.hand is not null
      or g.state in ('open', 'releasing')) order by s.id`;
  return restless.map(({ id }) => id);
}

async function upsertService(
  tx: Transaction,
  service: ServiceConfig,
  tunnelId: number | null,
): Promise<{ id: number; differs: boolean }> {
  const [before] = await tx<{ probeHash: string; retired: boolean }[]>`
    select probe_hash, retired_at is not null as retired from service where name = ${service.name}`;
  const [row] = await tx<{ id: number }[]>`
    insert into service (name, source_name, group_name, device_ref, tunnel_ref, tunnel_id, policy_name, open_after_ms, max_wait_ms,
                         verify_every_ms, probe_hash)
    values (${service.name}, ${service.source}, ${service.group}, ${service.deviceRef}, ${service.tunnelRef}, ${tunnelId},
            ${service.policyName}, ${service.openAfterMs}, ${service.maxWaitMs}, ${service.verifyEveryMs}, ${service.probeHash})
    on conflict (name) do update set source_name = excluded.source_name, group_name = excluded.group_name,
      device_ref = excluded.device_ref, tunnel_ref = excluded.tunnel_ref, tunnel_id = excluded.tunnel_id,
      policy_name = excluded.policy_name, open_after_ms = excluded.open_after_ms, max_wait_ms = excluded.max_wait_ms,
      verify_every_ms = excluded.verify_every_ms, probe_hash = excluded.probe_hash, retired_at = null
    returning id`;
  const id = row?.id ?? 0;
  await tx`insert into gate (service_id) values (${id}) on conflict (service_id) do nothing`;
  return { id, differs: before !== undefined && (before.retired || before.probeHash !== service.probeHash) };
}
