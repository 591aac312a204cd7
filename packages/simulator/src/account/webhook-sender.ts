import type { SeededRandom } from '../seeded-random.ts';
import { createLifetime, waitMs } from '../wait-ms.ts';
import type { Change } from './account-state.ts';
import { createSlots, type Slots } from './create-slots.ts';
import { postWebhook, webhookTarget } from './post-webhook.ts';
import {
  type DeliveryFilter,
  type DeliverySettings,
  isWatched,
  matches,
  type WebhookAnswer,
  type WebhookRegistration,
} from './webhook-delivery.ts';
import { formatActionDate, type Ticks, ticksFromMs, type WebhookEvent } from './webhook-event.ts';

interface Webhook extends WebhookRegistration {
  readonly name: string;
}

interface Delivery {
  readonly webhook: Webhook;
  readonly change: Change;
  readonly event: WebhookEvent;
}

interface Disturbance {
  readonly effect: 'drop' | { readonly delayMs: number };
  readonly filter: DeliveryFilter;
  left: number;
}

/** Posts changes of an account to its webhooks, once each, disturbed as asked; it never retries. */
export class WebhookSender {
  readonly settings: DeliverySettings = {
    order: 'random',
    concurrency: 1,
    copies: 1,
    delayMs: 0,
    timeoutMs: 10_000,
    dateStyle: 'z',
    offsetMinutes: null,
  };
  /** Every delivery so far, in the order their outcomes became known. */
  readonly answers: WebhookAnswer[] = [];
  readonly #random: SeededRandom;
  readonly #nowMs: () => number;
  readonly #lifetime = createLifetime();
  readonly #underWay = new Set<Promise<unknown>>();
  #webhooks: Webhook[] = [];
  #disturbances: Disturbance[] = [];
  #registered = 0;
  #lastTicks: Ticks = 0n;

  constructor(random: SeededRandom, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** Throws `unsupported_url` now rather than at the first change. */
  register(registration: WebhookRegistration): { readonly name: string; remove(): void } {
    webhookTarget(registration.url);
    this.#registered += 1;
    const webhook = { ...registration, name: `webhook-${this.#registered}` };
    this.#webhooks.push(webhook);
    return {
      name: webhook.name,
      remove: () => {
        this.#webhooks = this.#webhooks.filter((other) => other !== webhook);
      },
    };
  }

  /** Applies `effect` to the next `count` deliveries that match `filter`, in the order they set off. */
  disturb(count: number, effect: Disturbance['effect'], filter: DeliveryFilter): void {
    if (count > 0) this.#disturbances.push({ effect, filter, left: count });
  }

  clearDisturbances(): void {
    this.#disturbances = [];
  }

  /** Tells the webhooks; resolves when every delivery is answered, failed or dropped, in the order they set off. */
  send(changes: readonly Change[]): Promise<WebhookAnswer[]> {
    const stamped = changes.map((change) => ({ change, event: this.#stamp(change) }));
    const deliveries = this.#webhooks.flatMap((webhook) =>
      stamped
        .filter(({ event }) => isWatched(webhook, event))
        .flatMap((told) => Array.from({ length: this.settings.copies }, () => ({ webhook, ...told }))),
    );
    const slots = createSlots(this.settings.concurrency);
    const answers = Promise.all(this.#inOrder(deliveries).map((delivery) => this.#deliver(delivery, slots)));
    this.#underWay.add(answers);
    return answers.finally(() => this.#underWay.delete(answers));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Ends what is under way (those deliveries fail with `aborted`). */
  async close(): Promise<void> {
    this.#lifetime.abort();
    await this.settled();
  }

  async #deliver(delivery: Delivery, slots: Slots): Promise<WebhookAnswer> {
    const effect = this.#takeDisturbance(delivery.event);
    const told = { webhook: delivery.webhook.name, change: printable(delivery.change) };
    if (effect === 'drop') return this.#note({ ...told, outcome: 'dropped', ...NOTHING, latencyMs: 0 });
    const delayMs = this.settings.delayMs + (effect?.delayMs ?? 0);
    const { timeoutMs } = this.settings;
    const { signal } = this.#lifetime;
    if (!(await waitMs(delayMs, signal))) {
      return this.#note({ ...told, outcome: 'failed', ...NOTHING, failure: 'aborted', latencyMs: 0 });
    }
    const result = await slots(() => postWebhook(delivery.webhook.url, delivery.event, { timeoutMs, signal }));
    return this.#note({ ...told, ...NOTHING, ...result });
  }

  #note(answer: WebhookAnswer): WebhookAnswer {
    this.answers.push(answer);
    return answer;
  }

  #takeDisturbance(event: WebhookEvent): Disturbance['effect'] | null {
    const found = this.#disturbances.find(({ filter }) => matches(event, filter));
    if (!found) return null;
    found.left -= 1;
    if (found.left <= 0) this.#disturbances = this.#disturbances.filter((other) => other !== found);
    return found.effect;
  }

  /** Ticks never repeat, and the four digits below the millisecond come from the seed. */
  #stamp(change: Change): WebhookEvent {
    const wanted = ticksFromMs(this.#nowMs()) + BigInt(this.#random.integer(10_000));
    this.#lastTicks = wanted > this.#lastTicks ? wanted : this.#lastTicks + 1n;
    const { dateStyle, offsetMinutes } = this.settings;
    const minutes = offsetMinutes ?? (dateStyle === 'offset' ? 180 : 0);
    const ActionDate = formatActionDate(this.#lastTicks, dateStyle, minutes);
    return { Id: change.id, ActionDate, Type: change.type, Status: change.status };
  }

  #inOrder(deliveries: Delivery[]): Delivery[] {
    const { order } = this.settings;
    if (order === 'random') return this.#random.shuffle(deliveries);
    if (order === 'given') return deliveries;
    return order === 'reversed' ? deliveries.toReversed() : order(deliveries);
  }
}

const NOTHING = { status: null, body: null, failure: null };

function printable({ type, subject, status }: Change): Omit<Change, 'id'> {
  return { type, subject, status };
}
