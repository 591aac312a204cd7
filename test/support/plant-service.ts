import { randomBytes, randomUUID } from 'node:crypto';
import { applyServices, type DeliveryRecord, recordBatch, type Sql } from '@tidegate/store';

export const RECORD_SETTINGS = { skewBoundMs: 120_000, openAfterMs: 20_000, maxWaitMs: 120_000 };

export interface PlantedService {
  readonly serviceId: number;
  readonly tunnelId: number;
  readonly sourceId: number;
}

/** A source and a service on one tunnel, made through the store as the apps make them. */
export async function plantService(sql: Sql, name: string, openAfterMs = 20_000): Promise<PlantedService> {
  const [source] = await sql<{ id: number }[]>`
    insert into source (name, group_name, time_zone, watch) values (${`src-${name}`}, ${`g-${name}`}, 'UTC', 'linked') returning id`;
  const present = await sql<{ name: string }[]>`select name from service where retired_at is null`;
  if (present.length > 0) throw new Error('plantService plants one service per database');
  await applyServices(sql, [
    {
      name,
      source: `src-${name}`,
      group: `g-${name}`,
      deviceRef: null,
      tunnelRef: '298487',
      tunnel: {
        group: `g-${name}`,
        type: 'tunnel',
        fingerprint: { version: 1, value: randomBytes(32) },
        alias: `tun_${randomBytes(8).toString('hex')}`,
        publicId: '298487',
        sealedId: null,
      },
      policyName: 'default',
      openAfterMs,
      maxWaitMs: 120_000,
      verifyEveryMs: 5000,
      probeHash: 'planted',
    },
  ]);
  const [row] = await sql<{ id: number; tunnelId: number }[]>`select id, tunnel_id from service where name = ${name}`;
  return { serviceId: row?.id ?? 0, tunnelId: row?.tunnelId ?? 0, sourceId: source?.id ?? 0 };
}

/** Records one delivery about the planted tunnel; dated now unless told otherwise. */
export async function deliver(
  sql: Sql,
  planted: PlantedService,
  delivery: Partial<DeliveryRecord> & Pick<DeliveryRecord, 'status'>,
) {
  const ticks = BigInt(Date.now()) * 10_000n;
  const record: DeliveryRecord = {
    deliveryId: randomUUID(),
    observationKey: randomUUID(),
    subjectId: planted.tunnelId,
    sourceId: planted.sourceId,
    ticks,
    zone: 'utc',
    actionDate: 'planted',
    sealedActionDate: null,
    extraFields: null,
    extraUnnamed: 0,
    ...delivery,
  };
  return recordBatch(sql, [record], RECORD_SETTINGS);
}
