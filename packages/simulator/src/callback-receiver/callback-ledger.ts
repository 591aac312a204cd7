import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ReceivedBody } from '../listener/read-body.ts';
import type { Behaviour } from './behaviour.ts';
import { Waiters } from './waiters.ts';

/** One request as it arrived, headers and body untouched. */
export interface CallbackRequest {
  /** When its headers had arrived, in epoch milliseconds. */
  readonly atMs: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** `rawBody` read as UTF-8. */
  readonly body: string;
  /** False when the body was not read to its end. */
  readonly complete: boolean;
  /** The key a status lookup asks for, else the header `Idempotency-Key` as sent, else null. */
  readonly idempotencyKey: string | null;
  /** What the receiver did with it; `status` = it answered a status lookup. */
  readonly behaviour: Behaviour['kind'] | 'status';
  /** Whether this request took effect, now or later. */
  committed: boolean;
}

/** What one receiver knows: requests, lookups, and effects per Idempotency-Key. */
export class CallbackLedger {
  readonly requests: CallbackRequest[] = [];
  readonly lookups: CallbackRequest[] = [];
  readonly effects = new Map<string, number>();
  readonly waiters = new Waiters();
  readonly #deduplicates: boolean;

  constructor(deduplicates: boolean) {
    this.#deduplicates = deduplicates;
  }

  record(
    request: IncomingMessage,
    seen: { atMs: number; body: ReceivedBody; behaviour: CallbackRequest['behaviour']; lookedUpKey: string | null },
  ): CallbackRequest {
    const sentKey = request.headers['idempotency-key'];
    const entry: CallbackRequest = {
      atMs: seen.atMs,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: request.headers,
      rawBody: seen.body.bytes,
      body: seen.body.bytes.toString('utf8'),
      complete: seen.body.complete,
      idempotencyKey: seen.lookedUpKey ?? (typeof sentKey === 'string' ? sentKey : null),
      behaviour: seen.behaviour,
      committed: false,
    };
    (seen.lookedUpKey === null ? this.requests : this.lookups).push(entry);
    this.waiters.noteChange();
    return entry;
  }

  /** Lets a request take effect, unless its key had one and repeats are deduplicated. */
  commit(entry: CallbackRequest): void {
    const key = entry.idempotencyKey ?? '';
    const effects = this.effects.get(key) ?? 0;
    const isRepeat = this.#deduplicates && entry.idempotencyKey !== null && effects > 0;
    if (isRepeat) return;
    entry.committed = true;
    this.effects.set(key, effects + 1);
    this.waiters.noteChange();
  }
}
