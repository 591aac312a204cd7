import type { SendOutcome } from '@tidegate/outbound';
import type { ClaimedCallback } from '@tidegate/store';
import { z } from 'zod';
import type { WorkerContext } from '../worker-context.ts';
import type { KeptLease } from './create-lease-keeper.ts';

const headersSchema = z.record(z.string(), z.string());

/** Opens what was sealed, in this process only and for this attempt only, and makes one attempt for as long as its lease is kept. */
export async function attemptCallback(
  { opener, callbacks }: WorkerContext,
  callback: ClaimedCallback,
  { lease, timeoutMs }: { lease: KeptLease; timeoutMs: number },
): Promise<SendOutcome> {
  const open = async (
    sealed: Buffer,
    purpose: 'callback-url' | 'callback-headers' | 'callback-body' | 'callback-idempotency-key',
  ) => opener.open(sealed, { row: callback.id, purpose });
  const [url, headers, body, idempotencyKey, signingSecrets] = await Promise.all([
    open(callback.sealedUrl, 'callback-url'),
    open(callback.sealedHeaders, 'callback-headers'),
    callback.sealedBody === null ? null : open(callback.sealedBody, 'callback-body'),
    open(callback.sealedIdempotencyKey, 'callback-idempotency-key'),
    openSigningSecrets(opener, callback),
  ]);
  return callbacks.send({
    url: url.toString('utf8'),
    method: callback.method,
    headers: headersSchema.parse(JSON.parse(headers.toString('utf8'))),
    body,
    idempotencyKey: idempotencyKey.toString('utf8'),
    webhookId: callback.id,
    signingSecrets,
    timeoutMs,
    admit: lease.ask,
    leaseDeadline: () => !lease.mayBegin(),
    signal: lease.signal,
  });
}

async function openSigningSecrets(
  opener: WorkerContext['opener'],
  { serviceId, sealedSigningSecret, sealedOlderSigningSecret }: ClaimedCallback,
): Promise<string[]> {
  const sealed = [sealedSigningSecret, sealedOlderSigningSecret].filter((one) => one !== null);
  if (sealed.length === 0) throw new Error('a service without a signing secret was claimed');
  const place = { row: `service-${serviceId}`, purpose: 'signing-secret' } as const;
  return Promise.all(sealed.map(async (one) => (await opener.open(one, place)).toString('utf8')));
}
