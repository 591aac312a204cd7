import { Webhook } from 'standardwebhooks';
import { areSendable, type HeaderList, mergeHeaders } from '../http/headers.ts';

export interface CallbackIdentity {
  readonly idempotencyKey: string;
  readonly webhookId: string;
  /** Each `whsec_` and base64, or base64 alone; newest first. The request is signed with every one. */
  readonly signingSecrets: readonly string[];
}

/**
 * The headers of one attempt: the caller's, the bare `Idempotency-Key`, and the Standard Webhooks signatures over exactly
 * `body` as UTF-8. Tidegate's own win over the caller's. Null when the secret or the key cannot be used. Never throws.
 */
export function buildCallbackHeaders(
  caller: HeaderList,
  identity: CallbackIdentity,
  body: string,
  sentAt: Date,
): HeaderList | null {
  const signature = sign(identity, body, sentAt);
  if (signature === null) return null;
  const headers = mergeHeaders(
    { 'user-agent': 'tidegate', ...lowerCased(caller) },
    {
      'idempotency-key': identity.idempotencyKey,
      'webhook-id': identity.webhookId,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': signature,
    },
  );
  return areSendable(headers) ? headers : null;
}

function lowerCased(headers: HeaderList): HeaderList {
  return mergeHeaders(headers, {});
}

function sign(identity: CallbackIdentity, body: string, sentAt: Date): string | null {
  try {
    const signatures = identity.signingSecrets.map((secret) =>
      new Webhook(secret).sign(identity.webhookId, sentAt, body),
    );
    return signatures.length === 0 ? null : signatures.join(' ');
  } catch {
    // The library's error could describe the secret.
    return null;
  }
}
