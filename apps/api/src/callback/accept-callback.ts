import type { FieldProblem, ParsedCallbackRequest } from '@tidegate/client';
import { AppError, canonicalJson, validateCallback } from '@tidegate/core';
import type { CallbackRow, CreatedCallback } from '@tidegate/store';
import { lookupHash, newId } from '@tidegate/vault';
import type { ApiContext } from '../api-context.ts';
import { type CallbackContent, callbackContent } from './callback-content.ts';

/** What became of a callback that was handed over; each variant has one HTTP status. */
export type AcceptResult =
  | { readonly kind: 'accepted'; readonly callback: CallbackRow; readonly replayed: boolean }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldProblem[] }
  | { readonly kind: 'unsupported'; readonly errors: readonly FieldProblem[] }
  | { readonly kind: 'destination_refused' }
  | { readonly kind: 'payload_differs' }
  | { readonly kind: 'unknown_service' };

/** Fields of the contract that nothing acts on yet: better refused than taken and forgotten. */
const UNSUPPORTED = ['status', 'orderingKey'] as const;

/**
 * Takes a callback over: checks it, seals what could carry a credential, and stores it once per service and key (I8).
 * Source of the rules: DESIGN §8.
 * @throws AppError as the store and the sealer do; sent again under the same key it is the same callback
 */
export async function acceptCallback(
  context: ApiContext,
  request: ParsedCallbackRequest,
  idempotencyKey: string,
): Promise<AcceptResult> {
  const unsupported = UNSUPPORTED.filter((field) => request[field] !== undefined);
  if (unsupported.length > 0) {
    return { kind: 'unsupported', errors: unsupported.map((field) => ({ field, problem: 'not_supported_yet' })) };
  }
  const content = callbackContent(request);
  const valid = validateCallback({ url: request.url, method: request.method, ...content });
  if (!valid.ok) return { kind: 'invalid', errors: valid.errors };
  const origins = context.callbackOrigins.get(request.service);
  if (origins !== undefined && !origins.has(valid.origin)) return { kind: 'destination_refused' };

  const created = await storeSealed(context, { request, content, idempotencyKey, origin: valid.origin });
  switch (created.kind) {
    case 'unknown_service':
    case 'payload_differs':
      return created;
    case 'created':
      context.wakeRelease();
      return readAccepted(context, created.id, false);
    case 'replayed':
      return readAccepted(context, created.id, true);
  }
}

interface Accepting {
  readonly request: ParsedCallbackRequest;
  readonly content: CallbackContent;
  readonly idempotencyKey: string;
  readonly origin: string;
}

/** The deadline is not held against the clock here: a replay must be answered as the first was, however late it comes. */
async function storeSealed(
  { keyring, sealer, store }: ApiContext,
  { request, content, idempotencyKey, origin }: Accepting,
): Promise<CreatedCallback> {
  await sealer.ready();
  const row = newId('cb');
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
  });
}

async function readAccepted({ store }: ApiContext, id: string, replayed: boolean): Promise<AcceptResult> {
  const callback = await store.readCallback(id, null);
  if (callback !== null) return { kind: 'accepted', callback, replayed };
  throw new AppError({ code: 'callback_vanished', publicMessage: 'The callback was stored and is gone again.' });
}
