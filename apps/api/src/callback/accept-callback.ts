import type { FieldProblem, ParsedCallbackRequest } from '@tidegate/client';
import { AppError, canonicalJson, type StatusContract, validateCallback } from '@tidegate/core';
import { parseDuration } from '@tidegate/runtime';
import type { CallbackRow, CreatedCallback } from '@tidegate/store';
import { lookupHash, newId } from '@tidegate/vault';
import type { ApiContext } from '../api-context.ts';
import { type CallbackContent, callbackContent } from './callback-content.ts';
import type { ReadRequest } from './read-callback-request.ts';

/** What became of a callback that was handed over; each variant has one HTTP status. */
export type AcceptResult =
  | { readonly kind: 'accepted'; readonly callback: CallbackRow; readonly replayed: boolean }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldProblem[] }
  | { readonly kind: 'destination_refused' }
  | { readonly kind: 'payload_differs' }
  /** A copy of it, or something else under its key, is being taken over at this moment. */
  | { readonly kind: 'in_flight' }
  | { readonly kind: 'unknown_service' };

/** The longest `settleAfter`, in milliseconds: an outcome that takes longer to know is one for a person. */
const LONGEST_SETTLE_MS = 86_400_000;

/**
 * Takes a callback over: checks it, seals what could carry a credential, and stores it once per service and key (I8).
 * Source of the rules: DESIGN §8.
 * @throws AppError as the store and the sealer do; sent again under the same key it is the same callback
 */
export async function acceptCallback(
  context: ApiContext,
  { request, writtenBody, idempotencyKey }: Extract<ReadRequest, { kind: 'read' }>,
): Promise<AcceptResult> {
  const content = callbackContent(request, writtenBody);
  const valid = validateCallback({ url: request.url, method: request.method, status: request.status, ...content });
  if (!valid.ok) return { kind: 'invalid', errors: valid.errors };
  const settleAfterMs = request.status === undefined ? 0 : parseDuration(request.status.settleAfter);
  if (settleAfterMs === null || settleAfterMs > LONGEST_SETTLE_MS) return invalid('status.settleAfter');
  if (request.passHeld === true && request.safety !== 'safe') return invalid('passHeld');
  const origins = context.callbackOrigins.get(request.service);
  const wanted = [valid.origin, ...(request.status === undefined ? [] : [new URL(request.status.url).origin])];
  if (origins !== undefined && !wanted.every((origin) => origins.has(origin))) return { kind: 'destination_refused' };

  const accepting = { request, content, idempotencyKey, origin: valid.origin, settleAfterMs };
  const created = await storeSealed(context, accepting);
  switch (created.kind) {
    case 'unknown_service':
    case 'payload_differs':
    case 'in_flight':
      return created;
    case 'created':
      context.wakeRelease();
      return readAccepted(context, created.id, false);
    case 'replayed':
      return readAccepted(context, created.id, true);
  }
}

function invalid(field: string): AcceptResult {
  return { kind: 'invalid', errors: [{ field, problem: 'not_allowed' }] };
}

interface Accepting {
  readonly request: ParsedCallbackRequest;
  readonly content: CallbackContent;
  readonly idempotencyKey: string;
  readonly origin: string;
  readonly settleAfterMs: number;
}

/** The deadline is not held against the clock here: a replay must be answered as the first was, however late it comes. */
async function storeSealed(
  { keyring, sealer, store }: ApiContext,
  { request, content, idempotencyKey, origin, settleAfterMs }: Accepting,
): Promise<CreatedCallback> {
  await sealer.ready();
  const row = newId('cb');
  const status = toStatusContract(request);
  return store.createCallback({
    id: row,
    service: request.service,
    keyHash: lookupHash(keyring, 'idempotency-key', idempotencyKey),
    payloadHash: lookupHash(keyring, 'payload', canonicalJson(request)),
    method: request.method,
    origin,
    safety: request.safety,
    repeat: request.repeat,
    sealedUrl: sealer.seal(request.url, { row, purpose: 'callback-url' }),
    sealedHeaders: sealer.seal(JSON.stringify(content.headers), { row, purpose: 'callback-headers' }),
    sealedBody: content.body === null ? null : sealer.seal(content.body, { row, purpose: 'callback-body' }),
    sealedIdempotencyKey: sealer.seal(idempotencyKey, { row, purpose: 'callback-idempotency-key' }),
    deadlineAt: request.deadline === undefined ? null : new Date(request.deadline),
    orderingHash: request.orderingKey === undefined ? null : lookupHash(keyring, 'ordering-key', request.orderingKey),
    status:
      status === undefined ? null : { sealed: sealer.seal(status, { row, purpose: 'callback-status' }), settleAfterMs },
    passesHeld: request.passHeld ?? false,
  });
}

/** What is kept, sealed, of how to ask for the outcome; undefined when there is no way. */
function toStatusContract({ status }: ParsedCallbackRequest): string | undefined {
  if (status === undefined) return undefined;
  const { settleAfter: _, ...contract } = status;
  return JSON.stringify(contract satisfies StatusContract);
}

async function readAccepted({ store }: ApiContext, id: string, replayed: boolean): Promise<AcceptResult> {
  const callback = await store.readCallback(id, null);
  if (callback !== null) return { kind: 'accepted', callback, replayed };
  throw new AppError({ code: 'callback_vanished', publicMessage: 'The callback was stored and is gone again.' });
}
