import type { SendOutcome } from '@tidegate/outbound';
import type { ClaimedCallback } from '@tidegate/store';
import { z } from 'zod';
import type { WorkerContext } from '../worker-context.ts';

const headersSchema = z.record(z.string(), z.string());

/** Opens what was sealed, in this process only and for this attempt only, and makes one attempt under the lease. */
export async function attemptCallback(
  { opener, callbacks }: WorkerContext,
  callback: ClaimedCallback,
  { claimedAtMs, timeoutMs }: { claimedAtMs: number; timeoutMs: number },
): Promise<SendOutcome> {
  const open = async (
    sealed: Buffer,
    purpose: 'callback-url' | 'callback-headers' | 'callback-body' | 'callback-idempotency-key',
  ) => opener.open(sealed, { row: callback.id, purpose });
  const [url, headers, body, idempotencyKey, signingSecret] = await Promise.all([
    open(callback.sealedUrl, 'callback-url'),
    open(callback.sealedHeaders, 'callback-headers'),
    callback.sealedBody === null ? null : open(callback.sealedBody, 'callback-body'),
    open(callback.sealedIdempotencyKey, 'callback-idempotency-key'),
    openSigningSecret(opener, callback),
  ]);
  return callbacks.send({
    url: url.toString('utf8'),
    method: callback.method,
    headers: headersSchema.parse(JSON.parse(headers.toString('utf8'))),
    body,
    idempotencyKey: idempotencyKey.toString('utf8'),
    webhookId: callback.id,
    signingSecret,
    timeoutMs,
    // Elapsed time is monotonic: a clock that jumps must not stretch a lease.
    leaseDeadline: () => performance.now() - claimedAtMs >= callback.leaseMs - timeoutMs,
  });
}

async function openSigningSecret(
  opener: WorkerContext['opener'],
  { serviceId, sealedSigningSecret }: ClaimedCallback,
): Promise<string> {
  if (sealedSigningSecret === null) throw new Error('a service without a signing secret was claimed');
  return (await opener.open(sealedSigningSecret, { row: `service-${serviceId}`, purpose: 'signing-secret' })).toString(
    'utf8',
  );
}
