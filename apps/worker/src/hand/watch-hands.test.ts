import { rm } from 'node:fs/promises';
import type { SafeName } from '@tidegate/core';
import { createLogger, parseConfig } from '@tidegate/runtime';
import { connect, forceOpenGate, readGates, type Sql } from '@tidegate/store';
import { auditSigner, createKeyring, type Keyring, loadKeyring } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantService } from '../../../../test/support/plant-service.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { watchHands } from './watch-hands.ts';

let database: TestDatabase;
let sql: Sql;
let keyringDir: string;
let keyring: Keyring;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  keyringDir = await makeTempFolder('hands');
  await createKeyring(keyringDir);
  keyring = await loadKeyring(keyringDir);
  await plantService(sql, 'agent');
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(keyringDir, { recursive: true });
});

describe('watching hands', () => {
  it('ends a forced opening when its time is over, and logs each new head of the trail once', async () => {
    const log = createLogger({
      app: 'worker',
      level: 'info',
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    });
    const config = parseConfig({ file: 'x.yaml', source: 'sources: [{ name: home }]', app: 'worker', env: {} });
    const watch = watchHands({ sql, config, keyring, log });
    try {
      const order = { service: 'agent', actor: 'ada' as SafeName, reason: 'x' as SafeName, keyId: null, forMs: 60_000 };
      await forceOpenGate(sql, order, auditSigner(keyring));
      await watch.look();
      await watch.look();
      expect(await readGates(sql, ['agent'], 5000)).toMatchObject([{ state: 'open', reason: 'forced_open' }]);
      await sql`update gate set hand_expires_at = clock_timestamp()`;
      await watch.look();
      expect(await readGates(sql, ['agent'], 5000)).toMatchObject([{ state: 'held', reason: 'hand_released' }]);
    } finally {
      await watch.stop();
    }
    expect(lines.filter(({ event }) => event === 'audit.head')).toMatchObject([
      { seq: 1, mac: expect.stringMatching(/^mac_[0-9a-f]{64}$/) },
      { seq: 2 },
    ]);
    expect(lines.filter(({ event }) => event === 'gate.held')).toMatchObject([
      { service: 'agent', reason: 'hand_released' },
    ]);
  });
});
