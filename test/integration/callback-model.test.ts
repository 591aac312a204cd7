import { createHash } from 'node:crypto';
import { CALLBACK_TRANSITIONS, type CallbackState, type SafeName, type SignAudit } from '@tidegate/core';
import {
  type CallbackCommand,
  type ClaimedCallback,
  connect,
  orderCallback,
  reconcileOpenGates,
  type Sql,
} from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const ENDINGS = ['delivered', 'refused', 'not_sent', 'lease_expired', 'server_error'] as const;
const ORDERS = ['approve', 'deny', 'complete', 'cancel', 'redrive'] as const;
const sign: SignAudit = (row, previous) =>
  createHash('sha256')
    .update(`${row.seq}${previous?.toString() ?? ''}`)
    .digest();

type Step =
  | { readonly kind: 'hand'; readonly repeat: 'deduplicated' | 'forbidden' }
  | { readonly kind: 'cut' | 'open' | 'claim' | 'reconcile' }
  | { readonly kind: 'end'; readonly which: number; readonly ending: (typeof ENDINGS)[number] }
  | { readonly kind: 'order'; readonly which: number; readonly command: CallbackCommand };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hand' as const),
      repeat: fc.constantFrom('deduplicated' as const, 'forbidden' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('cut' as const, 'open' as const, 'claim' as const, 'claim' as const, 'reconcile' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(20), ending: fc.constantFrom(...ENDINGS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      which: fc.nat(20),
      command: fc.constantFrom(...ORDERS),
    }),
  },
);

/** One callback as a person would keep it on paper. */
interface Paper {
  readonly id: string;
  readonly repeat: 'deduplicated' | 'forbidden';
  state: CallbackState;
  generation: number;
  /** Some attempt of it may have had an effect. */
  unknown: boolean;
  approved: boolean;
}

/** The whole of the service on paper: what each step does, in words as plain as can be. */
class PaperService {
  readonly callbacks: Paper[] = [];
  allowed = false;
  generation = 1;

  hand(id: string, repeat: Paper['repeat']): void {
    const state = this.allowed ? 'queued' : 'held';
    this.callbacks.push({ id, repeat, state, generation: this.generation, unknown: false, approved: false });
  }

  cut(): void {
    this.allowed = false;
    this.generation += 1;
  }

  claim(): void {
    for (const one of this.callbacks.filter(({ state }) => state === 'queued' || state === 'retrying')) {
      if (!this.allowed || one.generation < this.generation) one.state = 'held';
      else if (one.repeat === 'forbidden' && one.unknown && !one.approved) one.state = 'needs_review';
      else [one.state, one.approved] = ['sending', false];
    }
  }

  reconcile(): void {
    const waits = (one: Paper) => one.state === 'held' || one.state === 'ambiguous';
    if (!this.allowed || !this.callbacks.some(waits)) return;
    const stale = (one: Paper) =>
      (one.state === 'queued' || one.state === 'retrying') && one.generation < this.generation;
    for (const one of this.callbacks.filter((candidate) => waits(candidate) || stale(candidate))) {
      const harmless = !one.unknown || one.repeat === 'deduplicated' || one.approved;
      const again = one.state === 'ambiguous' || one.state === 'retrying' ? 'retrying' : 'queued';
      one.state = harmless ? again : 'needs_review';
      one.generation = this.generation;
    }
  }

  end(one: Paper, ending: (typeof ENDINGS)[number]): void {
    const unknown = ending === 'lease_expired' || ending === 'server_error';
    one.unknown ||= unknown;
    one.state = ending === 'delivered' ? 'delivered' : unknown ? 'ambiguous' : 'retrying';
  }

  order(one: Paper, command: CallbackCommand): void {
    const waiting = ['queued', 'held', 'retrying', 'needs_review'].includes(one.state);
    if (command === 'cancel' && waiting) one.state = 'cancelled';
    if (command === 'redrive' && one.state === 'failed') one.state = 'retrying';
    if (one.state !== 'needs_review') return;
    if (command === 'approve') [one.state, one.approved] = ['retrying', true];
    if (command === 'deny') one.state = 'failed';
    if (command === 'complete') one.state = 'delivered';
  }
}

async function play(paper: PaperService, sending: Map<string, ClaimedCallback>, step: Step): Promise<void> {
  switch (step.kind) {
    case 'hand':
      return paper.hand(await hand(sql, { repeat: step.repeat }), step.repeat);
    case 'cut':
      await sql`update gate set state = 'held', generation = generation + 1`;
      return paper.cut();
    case 'open':
      await sql`update gate set state = 'releasing'`;
      paper.allowed = true;
      return;
    case 'claim':
      await sql`truncate circuit`;
      for (const claimed of await claim(sql, 100)) sending.set(claimed.id, claimed);
      return paper.claim();
    case 'reconcile':
      await reconcileOpenGates(sql);
      return paper.reconcile();
    case 'end': {
      const one = pick(
        paper.callbacks.filter(({ state }) => state === 'sending'),
        step.which,
      );
      const claimed = one && sending.get(one.id);
      if (one === undefined || claimed === undefined) return;
      await finish(sql, claimed, step.ending);
      return paper.end(one, step.ending);
    }
    case 'order': {
      const one = pick(paper.callbacks, step.which);
      if (one === undefined) return;
      const [actor, reason] = ['ada' as SafeName, 'seen' as SafeName];
      const approval = { payloadHash: Buffer.from('payload'), forMs: 3_600_000 };
      const order = { callback: one.id, command: step.command, actor, reason, keyId: null, services: null, approval };
      await orderCallback(sql, order, sign);
      return paper.order(one, step.command);
    }
  }
}

function pick<T>(items: readonly T[], which: number): T | undefined {
  return items[which % Math.max(1, items.length)];
}

it(verifies('I7', 'callbacks live as on paper: every step is legal, and none leads from held to sending'), async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), async (steps) => {
      await sql`truncate callback, attempt, ramp, circuit, review`;
      await sql`update gate set state = 'held', reason = 'verified', generation = 1`;
      const paper = new PaperService();
      const sending = new Map<string, ClaimedCallback>();
      let before = new Map<string, CallbackState>();
      for (const step of steps) {
        await play(paper, sending, step);
        const rows = await sql<{ id: string; state: CallbackState }[]>`select id, state from callback order by id`;
        const now = new Map(rows.map(({ id, state }) => [id, state]));
        expect({ step, now }).toEqual({ step, now: new Map(paper.callbacks.map(({ id, state }) => [id, state])) });
        for (const [id, state] of now) {
          const from = before.get(id) ?? state;
          if (from !== state) expect(CALLBACK_TRANSITIONS[from]).toHaveProperty(state);
        }
        before = now;
      }
    }),
    { numRuns: 60 },
  );
});
