import {
  acceptedCallbackSchema,
  callbackDetailSchema,
  callbackPageSchema,
  problemSchema,
  reconciliationDetailSchema,
  reviewSchema,
} from '@tidegate/client';
import { readAuditAfter, reconcileOpenGates } from '@tidegate/store';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish } from '../../../../test/support/plant-callbacks.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';

const WHY = { reason: 'seen in the books' };
const DECISIONS = ['approve', 'deny', 'complete'] as const;

let test: TestApi;
let reviewer: string;
let writer: string;
let limited: string;
let keys = 0;
let id: string;

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'other'], ['agent', 'other']);
  reviewer = await test.makeKey(['callbacks:review']);
  writer = await test.makeKey(['callbacks:write']);
  limited = await test.makeKey(['callbacks:write', 'callbacks:review'], { services: ['other'] });
}, 60_000);

/** One whose receiver broke the connection off, sorted and put before a person. */
beforeEach(async () => {
  await test.sql`truncate callback, attempt, review, ramp, circuit, reconciliation, reconciliation_item`;
  id = await handOver();
  await loseAnswer();
});

async function handOver(change: object = {}): Promise<string> {
  keys += 1;
  const payload = {
    service: 'agent',
    url: 'https://hooks.example.org/done?key=zqquery',
    method: 'POST',
    body: 'zqbody',
    safety: 'unsafe',
    repeat: 'forbidden',
    ...change,
  };
  const answer = await test.call('/v1/callbacks', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `review-${keys}` },
    body: JSON.stringify(payload),
  });
  return acceptedCallbackSchema.parse(await answer.json()).id;
}

/** Sends what is due, hears nothing, and sorts it. */
async function loseAnswer(): Promise<void> {
  for (const claimed of await claim(test.sql)) await finish(test.sql, claimed, 'unknown');
  await reconcileOpenGates(test.sql);
}

function post(path: string, body: unknown, key = reviewer): Promise<Response> {
  return test.call(path, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const decide = (decision: string, body: unknown, key?: string, of = id) =>
  post(`/v1/reviews/${of}/${decision}`, body, key);

async function inspect(key = reviewer) {
  const body = await (await test.call(`/v1/reviews/${id}`, { key })).json();
  expect(body).toEqual(reviewSchema.parse(body));
  return reviewSchema.parse(body);
}

async function codeOf(answer: Response): Promise<[number, string]> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  return [answer.status, problemSchema.parse(await answer.json()).code];
}

const stateOf = async (of = id) =>
  callbackDetailSchema.parse(await (await test.call(`/v1/callbacks/${of}`)).json()).state;
/** The body of an approval of what was looked at just now. */
const approvalOf = async (change: object = {}) => ({ ...WHY, payloadHash: (await inspect()).payloadHash, ...change });

describe('GET /v1/reviews', () => {
  it('lists what waits for a person and nothing else, by service and page by page', async () => {
    await handOver();
    const more = await handOver({ service: 'other' });
    await test.sql`update callback set state = 'needs_review', due_at = null where id = ${more}`;
    const list = async (query = '', key = reviewer) => {
      const page = callbackPageSchema.parse(await (await test.call(`/v1/reviews${query}`, { key })).json());
      return { ids: page.items.map((callback) => callback.id), nextCursor: page.nextCursor };
    };
    expect((await list()).ids).toEqual([more, id]);
    expect((await list('?service=agent')).ids).toEqual([id]);
    expect((await list('', limited)).ids).toEqual([more]);
    const first = await list('?limit=1');
    expect(first.ids).toEqual([more]);
    expect(await list(`?limit=1&cursor=${first.nextCursor}`)).toEqual({ ids: [id], nextCursor: null });
  });
});

describe('GET /v1/reviews/{id}', () => {
  it('shows the evidence: each attempt, why nobody knows, and the run that found so', async () => {
    const review = await inspect();
    expect(review).toMatchObject({
      id,
      state: 'needs_review',
      origin: 'https://hooks.example.org',
      method: 'POST',
      repeat: 'forbidden',
      attempts: 1,
      unknownSince: expect.any(String),
      payloadHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      reconciliation: { outcome: 'ambiguous', reason: 'outcome_unknown', action: 'review' },
      decisions: [],
    });
    expect(review.tries).toMatchObject([
      { number: 1, phase: 'maybe_received', status: null, reason: 'reset', latencyMs: 1, disprovedAt: null },
    ]);
    const run = await (await test.call(`/v1/reconciliations/${review.reconciliation?.id}`, { key: reviewer })).json();
    expect(reconciliationDetailSchema.parse(run).items).toMatchObject([{ callback: id, action: 'review' }]);
    const [stored] = await test.sql<{ hash: string }[]>`
      select encode(payload_hash, 'hex') as hash from callback where id = ${id}`;
    expect(review.payloadHash).toBe(stored?.hash);
  });

  it('knows only what waits for a person or was decided on, of the services of the key', async () => {
    const queued = await handOver();
    for (const unknown of [queued, 'cb_nobody', 'inc_1', 'cb_%27'])
      expect((await test.call(`/v1/reviews/${unknown}`)).status).toBe(404);
    expect((await test.call(`/v1/reviews/${id}`, { key: limited })).status).toBe(404);
    await decide('deny', WHY);
    expect(await inspect()).toMatchObject({ state: 'failed', decisions: [{ decision: 'deny', actor: 'test' }] });
  });
});

describe('POST /v1/reviews/{id}/…', () => {
  it(verifies('I7', 'approve: lets exactly one attempt out, and the next needs another approval'), async () => {
    const wakes = test.wakes.count;
    const answer = await decide('approve', await approvalOf());
    expect(answer.status).toBe(200);
    const review = reviewSchema.parse(await answer.json());
    expect(review).toMatchObject({ state: 'retrying', reason: 'approved', decisions: [{ decision: 'approve' }] });
    const [decision] = review.decisions;
    const lastsMs = Date.parse(decision?.expiresAt ?? '') - Date.parse(decision?.decidedAt ?? '');
    expect(Math.abs(lastsMs - 3_600_000)).toBeLessThan(1000);
    expect(decision).toMatchObject({ actor: 'test', reason: WHY.reason, usedAt: null });
    expect(test.wakes.count).toBe(wakes + 1);
    expect(await codeOf(await decide('approve', await approvalOf()))).toEqual([409, 'wrong_state']);
    await loseAnswer();
    expect(await inspect()).toMatchObject({
      state: 'needs_review',
      attempts: 2,
      decisions: [{ usedAt: expect.any(String) }],
    });
    expect(await claim(test.sql)).toEqual([]);
    expect(await stateOf()).toBe('needs_review');
  });

  it(verifies('I7', 'approve: sends nothing once the approval has expired'), async () => {
    expect((await decide('approve', await approvalOf({ for: '1ms' }))).status).toBe(200);
    expect(await claim(test.sql)).toEqual([]);
    expect(await inspect()).toMatchObject({
      state: 'needs_review',
      reason: 'approval_expired',
      decisions: [{ usedAt: null }],
    });
  });

  it(verifies('I7', 'approve: is refused for another payload than was looked at'), async () => {
    const { payloadHash } = await inspect();
    const other = payloadHash.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    expect(await codeOf(await decide('approve', { ...WHY, payloadHash: other }))).toEqual([409, 'payload_differs']);
    await test.sql`update callback set payload_hash = ${Buffer.alloc(32)} where id = ${id}`;
    expect(await codeOf(await decide('approve', { ...WHY, payloadHash }))).toEqual([409, 'payload_differs']);
    expect(await inspect()).toMatchObject({ state: 'needs_review', decisions: [] });
  });

  it('approve: is refused once the deadline has passed', async () => {
    await test.sql`update callback set deadline_at = clock_timestamp() where id = ${id}`;
    expect(await codeOf(await decide('approve', await approvalOf()))).toEqual([409, 'deadline_passed']);
    expect((await decide('deny', WHY)).status).toBe(200);
  });

  it.each([
    ['deny', 'failed', 'denied'],
    ['complete', 'delivered', 'marked_complete'],
  ] as const)('%s: ends it, once, and the trail says who and why', async (decision, state, reason) => {
    const answer = await decide(decision, WHY);
    expect(reviewSchema.parse(await answer.json())).toMatchObject({
      state,
      reason,
      finishedAt: expect.any(String),
      decisions: [{ decision, actor: 'test', reason: WHY.reason, expiresAt: null }],
    });
    expect((await readAuditAfter(test.sql, 0, 1000)).at(-1)).toMatchObject({
      action: `callback.${decision}`,
      actor: 'test',
      target: id,
      reason: WHY.reason,
      facts: { service: 'agent', before: 'needs_review' },
    });
    for (const again of DECISIONS)
      expect(await codeOf(await decide(again, again === 'approve' ? await approvalOf() : WHY))).toEqual([
        409,
        'wrong_state',
      ]);
    const lines = test.lines.map((line) => JSON.parse(line));
    expect(lines.findLast(({ event }) => event === 'callback.ordered')).toMatchObject({
      callback: id,
      service: 'agent',
      state,
      command: decision,
    });
  });

  it('are for reviewers, and only of their services', async () => {
    const body = { approve: await approvalOf(), deny: WHY, complete: WHY };
    for (const decision of DECISIONS) {
      expect(await codeOf(await decide(decision, body[decision], writer))).toEqual([403, 'scope_missing']);
      expect((await decide(decision, body[decision], limited)).status).toBe(404);
      for (const unknown of ['cb_nobody', 'inc_1'])
        expect((await decide(decision, body[decision], reviewer, unknown)).status).toBe(404);
    }
    expect(await codeOf(await test.call('/v1/reviews', { key: writer }))).toEqual([403, 'scope_missing']);
    expect(await codeOf(await test.call(`/v1/reviews/${id}`, { key: writer }))).toEqual([403, 'scope_missing']);
    expect(await inspect()).toMatchObject({ state: 'needs_review', decisions: [] });
  });

  it.each<[string, string, object, string]>([
    ['deny', 'no reason', {}, 'reason'],
    ['deny', 'a reason that nobody can see', { reason: '\u200b' }, 'reason'],
    ['complete', 'more than it takes', { ...WHY, payloadHash: 'a'.repeat(64) }, 'payloadHash'],
    ['approve', 'no payload hash', WHY, 'payloadHash'],
    ['approve', 'half a hash', { ...WHY, payloadHash: 'abc' }, 'payloadHash'],
    ['approve', 'no time at all', { ...WHY, payloadHash: 'a'.repeat(64), for: '0s' }, 'for'],
    ['approve', 'a date for a duration', { ...WHY, payloadHash: 'a'.repeat(64), for: '2030-01-01' }, 'for'],
  ])('%s refuses %s', async (decision, _name, body, field) => {
    const answer = await decide(decision, body);
    expect(answer.status).toBe(400);
    expect(problemSchema.parse(await answer.json()).errors?.map((error) => error.field)).toEqual([field]);
    expect(await stateOf()).toBe('needs_review');
  });
});

describe('POST /v1/callbacks/{id}/…', () => {
  const cancel = (of: string, key = writer) => post(`/v1/callbacks/${of}/cancel`, WHY, key);
  const redrive = (of: string, key = reviewer) => post(`/v1/callbacks/${of}/redrive`, WHY, key);

  it('cancel: ends what waits, for whoever may hand over, and nothing that is under way or over', async () => {
    await setGate(test.sql, 'agent', 'held');
    const held = await handOver();
    await setGate(test.sql, 'agent', 'open');
    const answer = await cancel(held);
    expect(callbackDetailSchema.parse(await answer.json())).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
    expect(await codeOf(await cancel(held))).toEqual([409, 'wrong_state']);
    expect((await cancel(id)).status).toBe(200);
    const sending = await handOver();
    const [claimed] = await claim(test.sql);
    expect(await codeOf(await cancel(sending))).toEqual([409, 'wrong_state']);
    if (claimed !== undefined) await finish(test.sql, claimed, 'delivered');
    expect(await codeOf(await cancel(sending))).toEqual([409, 'wrong_state']);
    expect((await readAuditAfter(test.sql, 0, 1000)).at(-1)).toMatchObject({ action: 'callback.cancel', target: id });
  });

  it(verifies('I9', 'redrive: gives what failed a new allowance, and is for reviewers'), async () => {
    const failed = await handOver();
    const [claimed] = await claim(test.sql);
    const next = { state: 'failed', reason: 'rejected' } as const;
    if (claimed !== undefined) await finish(test.sql, claimed, 'not_sent', { next });
    expect(await codeOf(await redrive(failed, writer))).toEqual([403, 'scope_missing']);
    const answer = await redrive(failed);
    expect(callbackDetailSchema.parse(await answer.json())).toMatchObject({ state: 'retrying', reason: 'redriven' });
    expect(await claim(test.sql)).toMatchObject([{ id: failed, attempt: 2, attempts: 1 }]);
    expect(await codeOf(await redrive(failed))).toEqual([409, 'wrong_state']);
    expect(await codeOf(await redrive(id))).toEqual([409, 'wrong_state']);
  });

  it('redrive: is refused after the deadline, and once retention has removed the content', async () => {
    await decide('deny', WHY);
    await test.sql`update callback set deadline_at = clock_timestamp() where id = ${id}`;
    expect(await codeOf(await redrive(id))).toEqual([409, 'deadline_passed']);
    await test.sql`update callback set deadline_at = null, sealed_url = ''`;
    expect(await codeOf(await redrive(id))).toEqual([409, 'content_gone']);
    expect(await stateOf()).toBe('failed');
  });

  it(verifies('I7', 'redrive: sends nothing again that a person denied and that may have been received'), async () => {
    await decide('deny', WHY);
    expect((await redrive(id)).status).toBe(200);
    expect(await claim(test.sql)).toEqual([]);
    expect(await stateOf()).toBe('needs_review');
  });

  it('are of the services of the key, take a reason, and answer 404 to unknown ids', async () => {
    for (const order of [cancel, redrive]) {
      expect((await order(id, limited)).status).toBe(404);
      for (const unknown of ['cb_nobody', 'inc_1']) expect((await order(unknown, test.adminKey)).status).toBe(404);
    }
    expect((await post(`/v1/callbacks/${id}/cancel`, {})).status).toBe(400);
    expect((await post(`/v1/callbacks/${id}/redrive`, { reason: 7 })).status).toBe(400);
    expect(await stateOf()).toBe('needs_review');
  });
});
