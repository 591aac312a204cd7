import { createCallback, type NewCallback } from '@tidegate/store';
import { lookupHash, newId } from '@tidegate/vault';
import type { WorkerContext } from '../../apps/worker/src/worker-context.ts';

let keys = 0;

/** Hands over a callback that a worker can really open and send; answers its id and its idempotency key. */
export async function handSealed(
  { sql, sealer, keyring }: Pick<WorkerContext, 'sql' | 'sealer' | 'keyring'>,
  { url, statusUrl, ...more }: { readonly url: string; readonly statusUrl?: string } & Partial<NewCallback>,
): Promise<{ id: string; key: string }> {
  await sealer.ready();
  keys += 1;
  const key = `sealed-${keys}`;
  const row = newId('cb');
  const contract = { url: statusUrl, headers: {}, complete: { status: 200 }, notFound: { status: 404 } };
  const sealed = sealer.seal(JSON.stringify(contract), { row, purpose: 'callback-status' });
  const created = await createCallback(sql, {
    id: row,
    service: 'agent',
    keyHash: lookupHash(keyring, 'idempotency-key', key),
    payloadHash: lookupHash(keyring, 'payload', key),
    method: 'POST',
    origin: new URL(url).origin,
    safety: 'unsafe',
    repeat: 'forbidden',
    sealedUrl: sealer.seal(url, { row, purpose: 'callback-url' }),
    sealedHeaders: sealer.seal('{}', { row, purpose: 'callback-headers' }),
    sealedBody: sealer.seal('x', { row, purpose: 'callback-body' }),
    sealedIdempotencyKey: sealer.seal(key, { row, purpose: 'callback-idempotency-key' }),
    deadlineAt: null,
    orderingHash: null,
    status: statusUrl === undefined ? null : { sealed, settleAfterMs: 0 },
    passesHeld: false,
    ...more,
  });
  if (created.kind !== 'created') throw new Error(created.kind);
  return { id: row, key };
}
