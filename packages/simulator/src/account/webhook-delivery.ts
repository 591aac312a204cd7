import type { Change } from './account-state.ts';
import type { DateStyle, WebhookEvent } from './webhook-event.ts';

/** One registered webhook: it cannot be edited, only removed. */
export interface WebhookRegistration {
  readonly url: string;
  readonly watch: { readonly tokens: boolean; readonly tunnels: boolean };
  readonly on: 'connects' | 'disconnects' | 'both';
}

/** The order deliveries of one burst set off in; `random` follows the account's seed. */
export type DeliveryOrder = 'random' | 'given' | 'reversed' | (<T>(deliveries: readonly T[]) => T[]);

export interface DeliverySettings {
  order: DeliveryOrder;
  /** Deliveries under way at once; with 1 the receiver sees exactly the chosen order. */
  concurrency: number;
  /** How often each event is posted, byte for byte the same. */
  copies: number;
  /** Wait before each delivery, in milliseconds. */
  delayMs: number;
  /** Milliseconds a receiver may stay silent. */
  timeoutMs: number;
  dateStyle: DateStyle;
  /** The clock that ActionDate shows with `offset` and `none`; null: +03:00 for `offset`, UTC for `none`. */
  offsetMinutes: number | null;
}

/** Which deliveries a loss or delay is meant for; absent fields match all. */
export type DeliveryFilter = Partial<Pick<WebhookEvent, 'Type' | 'Status'>>;

/** What became of one delivery. Holds neither the token nor the webhook's URL. */
export interface WebhookAnswer {
  /** `webhook-1`, `webhook-2`, … in order of registration. */
  readonly webhook: string;
  readonly change: Omit<Change, 'id'>;
  readonly outcome: 'answered' | 'failed' | 'dropped';
  /** HTTP status; null unless answered. */
  readonly status: number | null;
  readonly body: string | null;
  /** A code such as `ECONNREFUSED` or `timeout`; null unless failed. */
  readonly failure: string | null;
  readonly latencyMs: number;
}

/** Whether a webhook was registered for this event. */
export function isWatched(webhook: WebhookRegistration, event: WebhookEvent): boolean {
  const watched = event.Type === 'Token' ? webhook.watch.tokens : webhook.watch.tunnels;
  return watched && (webhook.on === 'both' || (webhook.on === 'connects') === (event.Status === 'Connected'));
}

/** Whether a filter covers this event. */
export function matches(event: WebhookEvent, filter: DeliveryFilter): boolean {
  return (filter.Type ?? event.Type) === event.Type && (filter.Status ?? event.Status) === event.Status;
}
