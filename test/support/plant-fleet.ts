import { randomUUID } from 'node:crypto';
import type { ConnectivityStatus } from '@tidegate/core';
import { type DeliveryRecord, recordBatch, type Sql } from '@tidegate/store';
import { RECORD_SETTINGS } from './plant-service.ts';

export interface PlantedDevice {
  readonly id: number;
  readonly alias: string;
  readonly tunnels: readonly { readonly id: number; readonly alias: string }[];
  /** The service on its first tunnel; null when it has none. */
  readonly serviceId: number | null;
  readonly service: string | null;
}

export interface PlantedFleet {
  readonly group: string;
  readonly sourceId: number;
  readonly devices: readonly PlantedDevice[];
}

export interface FleetPlan {
  readonly group?: string;
  readonly devices: number;
  readonly tunnels?: number;
  /** How many of the devices have a service; default all. Without any the source watches everything. */
  readonly services?: number;
  readonly openAfterMs?: number;
}

/** One source group with devices, their tunnels, and services whose gates stand open on evidence. */
export async function plantFleet(sql: Sql, plan: FleetPlan): Promise<PlantedFleet> {
  const { group = 'home-lab', devices: count, tunnels = 1, services = count, openAfterMs = 20_000 } = plan;
  const watch = services < count ? 'all' : 'linked';
  const [source] = await sql<{ id: number }[]>`
    insert into source (name, group_name, time_zone, watch) values (${group}, ${group}, 'UTC', ${watch}) returning id`;
  const devices: PlantedDevice[] = [];
  for (let index = 1; index <= count; index += 1) {
    const id = await plantSubject(sql, group, `dev_${group.replaceAll(/\W/g, '')}${index}`, null);
    const own = [];
    for (let number = 1; number <= tunnels; number += 1) {
      const alias = `tun_${group.replaceAll(/\W/g, '')}${index}x${number}`;
      own.push({ id: await plantSubject(sql, group, alias, id), alias });
    }
    const service = index <= services ? `${group}-${index}` : null;
    const subjects = [id, ...own.slice(0, 1).map((tunnel) => tunnel.id)];
    const serviceId = service === null ? null : await plantOpenService(sql, { group, service, subjects, openAfterMs });
    devices.push({ id, alias: `dev_${group.replaceAll(/\W/g, '')}${index}`, tunnels: own, service, serviceId });
  }
  return { group, sourceId: source?.id ?? 0, devices };
}

async function plantSubject(sql: Sql, group: string, alias: string, deviceId: number | null): Promise<number> {
  const type = deviceId === null ? 'device' : 'tunnel';
  const [row] = await sql<{ id: number }[]>`
    insert into subject (alias, type, group_name, fingerprint_version, fingerprint, device_id, device_origin, name, linked_at)
    values (${alias}, ${type}, ${group}, 1, ${Buffer.from(alias)}, ${deviceId}, ${deviceId === null ? null : 'api'}, ${alias}, now()) returning id`;
  await sql`insert into fingerprint (version, value, subject_id) values (1, ${Buffer.from(alias)}, ${row?.id ?? 0})`;
  return row?.id ?? 0;
}

async function plantOpenService(
  sql: Sql,
  {
    group,
    service,
    subjects,
    openAfterMs,
  }: { group: string; service: string; subjects: number[]; openAfterMs: number },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into service (name, source_name, group_name, device_id, tunnel_id, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
    values (${service}, ${group}, ${group}, ${subjects[0] ?? null}, ${subjects[1] ?? null}, 'default', ${openAfterMs}, 120000, 5000, '') returning id`;
  const id = row?.id ?? 0;
  for (const subject of subjects)
    await sql`insert into dependency (subject_id, service_id, origin) values (${subject}, ${id}, 'api')`;
  await sql`insert into gate (service_id, state, reason, generation, verify_due_at, opened_by, opened_by_started_at)
            values (${id}, 'open', 'verified', 1, now() + interval '5 minutes', 'ver_planted', now() - interval '1 second')`;
  return id;
}

/** What is reported, and how long ago it happened; at most a few are equal in a test that says nothing of it. */
export interface Report {
  readonly subjectId: number;
  readonly status: ConnectivityStatus;
  readonly agoMs?: number;
}

let told = 0;

/** Records reports in one batch, each dated a little later than the one before it. */
export async function report(sql: Sql, fleet: PlantedFleet, reports: readonly Report[]): Promise<void> {
  const nowMs = Date.now();
  const batch = reports.map(({ subjectId, status, agoMs = 0 }): DeliveryRecord => {
    told = (told + 1) % 9_000;
    return {
      deliveryId: randomUUID(),
      observationKey: randomUUID(),
      subjectId,
      sourceId: fleet.sourceId,
      status,
      ticks: BigInt(nowMs - agoMs) * 10_000n + BigInt(told),
      zone: 'utc',
      actionDate: 'planted',
      sealedActionDate: null,
      extraFields: null,
      extraUnnamed: 0,
    };
  });
  await recordBatch(sql, batch, RECORD_SETTINGS);
}

/** A device and all its tunnels, as one burst tells of them. */
export function everythingOf(device: PlantedDevice, status: ConnectivityStatus): Report[] {
  return [device.id, ...device.tunnels.map(({ id }) => id)].map((subjectId) => ({ subjectId, status }));
}

/** Empties what tests of correlation write, so that one database serves a whole file. */
export async function clearCorrelation(sql: Sql): Promise<void> {
  await sql`truncate observation, observation_key, delivery, connectivity, pending, blip, incident, incident_subject, incident_service, timeline_entry,
    verification, verification_layer, dependency, gate, service, fingerprint, subject, source, poll restart identity cascade`;
}
