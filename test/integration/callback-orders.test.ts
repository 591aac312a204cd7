import { createHash } from 'node:crypto';
import { type SafeName, type SignAudit, sanitizeName } from '@tidegate/core';
import {
  type CallbackCommand,
  type CallbackOrder,
  connect,
  type NewCallback,
  orderCallback,
  readCallback,
  reconcileOpenGates,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification } from '../support/verify-service.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  planted = await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate callback, attempt, ramp, circuit, review`;
  await sql`update gate set state = 'open', reason = 'verified'`;
});

const named = (text: string): SafeName => sanitizeName(text);
const sign: SignAudit = (row, previous) =>
  createHash('sha256')
    .update(`${row.seq} ${row.action} ${previous?.toString() ?? ''}`)
    .digest();
const APPROVAL = { payloadHash: Buffer.from('payload'), forMs: 3_600_000 };

async function order(id: string, command: CallbackCommand, change: Partial<CallbackOrder> = {}) {
  const approval = command === 'approve' ? APPROVAL : null;
  const base = {
    callback: id,
    command,
    actor: named('ada'),
    reason: named('seen in the books'),
    keyId: null,
    services: null,
    approval,
  };
  return (await orderCallback(sql, { ...base, ...change }, sign)).outcome;
}

const stateOf = async (id: string) => (await readCallback(sql, id, null))?.state;

/** One that nobody knows the outcome of. */
async function unknown(change: Partial<NewCallback> = {}): Promise<string> {
  const id = await hand(sql, change);
  const [claimed] = await claim(sql);
  const next = { state: 'ambiguous', reason: 'outcome_unknown', delayMs: null } as const;
  if (claimed !== undefined) await finish(sql, claimed, 'lease_expired', { next });
  await reconcileOpenGates(sql);
  expect(await stateOf(id)).toBe('needs_review');
  return id;
}

describe('a review', () => {
  it(verifies('I7', 'lets one attempt out by approval, and asks again when that was not sent'), async () => {
    const id = await unknown();
    expect(await order(id, 'approve')).toEqual({ kind: 'moved', service: 'agent', state: 'retrying' });
    const [again] = await claim(sql);
    expect(again).toMatchObject({ id, attempt: 2, attempts: 1, maybeReceived: true });
    if (again !== undefined) await finish(sql, again, 'not_sent');
    expect(await claim(sql)).toEqual([]);
    expect(await stateOf(id)).toBe('needs_review');
    expect(await order(id, 'approve')).toMatchObject({ kind: 'moved' });
    expect(await claim(sql)).toHaveLength(1);
  });

  it(verifies('I7', 'does not outlive its expiry, nor a payload that was changed since'), async () => {
    const late = await unknown();
    await order(late, 'approve', { approval: { ...APPROVAL, forMs: -1 } });
    expect(await claim(sql)).toEqual([]);
    expect(await stateOf(late)).toBe('needs_review');
    await order(late, 'approve');
    await sql`update callback set payload_hash = 'other'`;
    expect(await claim(sql)).toEqual([]);
    expect(await stateOf(late)).toBe('needs_review');
    expect(await order(late, 'approve')).toEqual({ kind: 'payload_differs' });
    expect(await order(late, 'approve', { approval: null })).toEqual({ kind: 'payload_differs' });
  });

  it(verifies('I7', 'is over when it expires behind a held gate, also where a repeat is harmless'), async () => {
    const id = await unknown({ repeat: 'deduplicated' });
    await deliver(sql, planted, { status: 'disconnected' });
    await order(id, 'approve');
    expect(await claim(sql)).toEqual([]);
    // Time travel: nobody came back in time.
    await sql`update review set expires_at = clock_timestamp() - interval '1 second'`;
    await openByVerification(sql, planted.serviceId);
    expect(await claim(sql)).toEqual([]);
    expect(await readCallback(sql, id, null)).toMatchObject({ state: 'needs_review', reason: 'approval_expired' });
    expect(await sql`select used_at from review`).toEqual([{ usedAt: null }]);
  });

  it(verifies('I7', 'lets out one attempt and no more where a repeat is harmless, until it is redriven'), async () => {
    const id = await unknown({ repeat: 'deduplicated' });
    await order(id, 'approve');
    const [approved] = await claim(sql);
    expect(approved).toMatchObject({ id, byApproval: true });
    if (approved !== undefined) await finish(sql, approved, 'refused');
    expect(await claim(sql)).toEqual([]);
    expect(await stateOf(id)).toBe('needs_review');
    await order(id, 'deny');
    await order(id, 'redrive');
    const [redriven] = await claim(sql);
    expect(redriven).toMatchObject({ id, byApproval: false });
    if (redriven !== undefined) await finish(sql, redriven, 'refused');
    expect(await claim(sql)).toHaveLength(1);
  });

  it(verifies('I7', 'is no way around a held gate, and holds through a release'), async () => {
    const id = await unknown();
    await order(id, 'approve');
    await deliver(sql, planted, { status: 'disconnected' });
    expect(await claim(sql)).toEqual([]);
    expect(await stateOf(id)).toBe('held');
    await openByVerification(sql, planted.serviceId);
    expect((await claim(sql)).map((callback) => callback.id)).toEqual([id]);
  });

  it.each([
    ['deny', 'failed', 'denied'],
    ['complete', 'delivered', 'marked_complete'],
    ['cancel', 'cancelled', 'cancelled'],
  ] as const)('ends a callback by %s', async (command, state, reason) => {
    const id = await unknown();
    expect(await order(id, command)).toMatchObject({ kind: 'moved', state });
    expect(await readCallback(sql, id, null)).toMatchObject({
      state,
      reason,
      finishedAt: expect.any(Date),
      dueAt: null,
    });
  });

  it('is decided once, however many decide at once', async () => {
    const id = await unknown();
    const outcomes = await Promise.all((['approve', 'deny', 'complete', 'deny'] as const).map((one) => order(id, one)));
    expect(outcomes.filter(({ kind }) => kind === 'moved')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'wrong_state')).toHaveLength(3);
  });
});

describe('an order', () => {
  it('cancels what waits, and nothing that is under way or over', async () => {
    await sql`update gate set state = 'held'`;
    const held = await hand(sql);
    await sql`update gate set state = 'open'`;
    const sending = await hand(sql);
    const [claimed] = await claim(sql);
    expect(await order(held, 'cancel')).toMatchObject({ kind: 'moved' });
    expect(await order(sending, 'cancel')).toEqual({ kind: 'wrong_state', state: 'sending' });
    if (claimed !== undefined) await finish(sql, claimed, 'delivered');
    expect(await order(sending, 'cancel')).toEqual({ kind: 'wrong_state', state: 'delivered' });
    expect(await reconcileOpenGates(sql)).toBe(0);
  });

  it(verifies('I9', 'redrives what failed with a new allowance, counted from now'), async () => {
    const id = await hand(sql);
    const [first] = await claim(sql);
    if (first !== undefined)
      await finish(sql, first, 'not_sent', { next: { state: 'failed', reason: 'retry_attempts_exhausted' } });
    await sql`update attempt set started_at = started_at - interval '1 day'`;
    expect(await order(id, 'redrive')).toMatchObject({ kind: 'moved', state: 'retrying' });
    const [again] = await claim(sql);
    expect(again).toMatchObject({ attempt: 2, attempts: 1, elapsedMs: 0 });
    expect(await order(id, 'redrive')).toMatchObject({ kind: 'wrong_state' });
  });

  it('reaches only services the actor may act for, and is told to the trail', async () => {
    const id = await unknown();
    expect(await order(id, 'deny', { services: ['other'] })).toEqual({ kind: 'not_found' });
    expect(await order('cb_none', 'deny')).toEqual({ kind: 'not_found' });
    await order(id, 'deny', { services: ['agent'] });
    const [row] = await sql`select actor, action, target, reason from audit order by seq desc limit 1`;
    expect(row).toEqual({ actor: 'ada', action: 'callback.deny', target: id, reason: 'seen in the books' });
  });
});
