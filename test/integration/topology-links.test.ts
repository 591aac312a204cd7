import { randomBytes, randomUUID } from 'node:crypto';
import { sanitizeName } from '@tidegate/core';
import {
  applyServices,
  applyTopology,
  connect,
  listMisnamed,
  readGates,
  recordBatch,
  type ServiceConfig,
  type Sql,
  type SubjectIdentity,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate observation, observation_key, delivery, connectivity, pending, incident, dependency, gate, service, subject, source restart identity cascade`;
  await sql`insert into source (name, group_name, time_zone, watch) values ('s', 'g', 'UTC', 'linked')`;
});

function identity(type: 'device' | 'tunnel'): SubjectIdentity {
  const alias = `${type === 'device' ? 'dev' : 'tun'}_${randomBytes(8).toString('hex')}`;
  return {
    group: 'g',
    type,
    fingerprint: { version: 1, value: randomBytes(32) },
    alias,
    publicId: null,
    sealedId: randomBytes(8),
  };
}

function serviceConfig(name: string, refs: { device?: string; tunnel?: SubjectIdentity }): ServiceConfig {
  return {
    name,
    source: 's',
    group: 'g',
    deviceRef: refs.device ?? null,
    tunnelRef: refs.tunnel === undefined ? null : 'secret',
    tunnel: refs.tunnel ?? null,
    policyName: 'default',
    openAfterMs: 20_000,
    maxWaitMs: 120_000,
    verifyEveryMs: 5000,
    probeHash: 'h',
  };
}

const device = (of: SubjectIdentity, name: string) => ({ identity: of, name: sanitizeName(name) });

async function openAll(): Promise<void> {
  await sql`update gate set state = 'open', reason = 'verified'`;
}

async function disconnect(subject: SubjectIdentity): Promise<void> {
  const [row] = await sql<{ id: number }[]>`select id from subject where fingerprint = ${subject.fingerprint.value}`;
  const delivery = {
    deliveryId: randomUUID(),
    observationKey: randomUUID(),
    subjectId: row?.id ?? 0,
    sourceId: 1,
    status: 'disconnected',
  } as const;
  const dated = {
    ticks: BigInt(Date.now()) * 10_000n,
    zone: 'utc',
    actionDate: 'x',
    sealedActionDate: null,
    extraFields: null,
    extraUnnamed: 0,
  } as const;
  await recordBatch(sql, [{ ...delivery, ...dated }], {
    skewBoundMs: 120_000,
    openAfterMs: 20_000,
    maxWaitMs: 120_000,
  });
}

async function stateOf(service: string): Promise<string | undefined> {
  return (await readGates(sql, [service], 5000))[0]?.state;
}

describe('which Disconnected shuts which gate', () => {
  it(verifies('I2', 'a device shuts the service of its tunnel once API v2 told the edge'), async () => {
    const [tunnel, mac] = [identity('tunnel'), identity('device')];
    await applyServices(sql, [serviceConfig('a', { tunnel })]);
    await applyTopology(sql, 'g', [device(mac, 'mac')], [{ identity: tunnel, device: 0, name: null }]);
    await openAll();
    await disconnect(mac);
    expect(await stateOf('a')).toBe('held');
  });

  it(verifies('I2', 'each of several devices of one name does, since any of them may be meant'), async () => {
    const macs = [identity('device'), identity('device')];
    await applyServices(sql, [serviceConfig('a', { device: 'mac' })]);
    await applyTopology(
      sql,
      'g',
      macs.map((mac) => device(mac, 'mac')),
      [],
    );
    for (const mac of macs) {
      await openAll();
      await disconnect(mac);
      expect(await stateOf('a')).toBe('held');
    }
  });

  it(verifies('I2', 'a device that is renamed in Localtonet does, until another takes the name'), async () => {
    const [mac, other] = [identity('device'), identity('device')];
    await applyServices(sql, [serviceConfig('a', { device: 'mac' })]);
    await applyTopology(sql, 'g', [device(mac, 'mac')], []);
    await openAll();
    await applyTopology(sql, 'g', [device(mac, 'mac (office)')], []);
    expect(await stateOf('a')).toBe('open');
    await disconnect(mac);
    expect(await stateOf('a')).toBe('held');
    expect(await listMisnamed(sql)).toEqual([{ service: 'a', kept: true }]);
    await applyTopology(sql, 'g', [device(other, 'mac')], []);
    await openAll();
    await disconnect(mac);
    expect(await stateOf('a')).toBe('open');
    await disconnect(other);
    expect(await stateOf('a')).toBe('held');
    expect(await listMisnamed(sql)).toEqual([]);
  });

  it('a service whose device is renamed in the config leaves the former one', async () => {
    const mac = identity('device');
    await applyServices(sql, [serviceConfig('a', { device: 'mac' })]);
    await applyTopology(sql, 'g', [device(mac, 'mac')], []);
    await applyServices(sql, [serviceConfig('a', { device: 'linux' })]);
    expect(await sql`select * from dependency`).toEqual([]);
  });

  it(verifies('I2', 'any device shuts a service that names one which nobody told of'), async () => {
    const [mac, linux] = [identity('device'), identity('device')];
    await applyServices(sql, [serviceConfig('a', { device: 'mac-mini' }), serviceConfig('b', { device: 'linux' })]);
    await applyTopology(sql, 'g', [device(mac, 'mac'), device(linux, 'linux')], []);
    await openAll();
    await disconnect(mac);
    expect(await stateOf('a')).toBe('held');
    expect(await stateOf('b')).toBe('open');
    expect(await sql`select s.name from pending p join subject s on s.id = p.group_id`).toEqual([{ name: 'mac' }]);
    expect(await listMisnamed(sql)).toEqual([{ service: 'a', kept: false }]);
  });

  it('a service that names device and tunnel ties them together, without API v2 saying so', async () => {
    const [tunnel, mac] = [identity('tunnel'), identity('device')];
    await applyTopology(sql, 'g', [device(mac, 'mac')], []);
    await applyServices(sql, [serviceConfig('a', { tunnel, device: 'mac' })]);
    const [row] = await sql`select device_origin, device_id is not null as tied from subject where type = 'tunnel'`;
    expect(row).toEqual({ deviceOrigin: 'config', tied: true });
  });

  it('a service taken out of the config loses its edges, and its gate is held for good', async () => {
    const tunnel = identity('tunnel');
    await applyServices(sql, [serviceConfig('a', { tunnel }), serviceConfig('b', { tunnel })]);
    await openAll();
    await applyServices(sql, [serviceConfig('b', { tunnel })]);
    expect(await stateOf('a')).toBeUndefined();
    expect(
      await sql`select state, verify_due_at from gate g join service s on s.id = g.service_id where s.name = 'a'`,
    ).toEqual([{ state: 'held', verifyDueAt: null }]);
    expect(await sql`select count(*)::int as count from dependency`).toEqual([{ count: 1 }]);
    expect(await stateOf('b')).toBe('open');
  });

  it('renaming a service while its tunnel reports costs no deadlock', async () => {
    const tunnel = identity('tunnel');
    await applyServices(sql, [serviceConfig('a0', { tunnel })]);
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all([
        applyServices(sql, [serviceConfig(`a${round}`, { tunnel })]),
        disconnect(tunnel),
        disconnect(tunnel),
        disconnect(tunnel),
      ]);
    }
    expect(await stateOf('a10')).toBe('held');
  });
});
