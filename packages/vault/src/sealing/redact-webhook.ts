import { type ExtraFields, parseActionDate, type Webhook } from '@tidegate/core';
import type { Keyring } from '../keyring/keyring.ts';
import { observationKey } from '../naming/observation-key.ts';
import type { Sealer } from './sealer.ts';

/** What the column holds; a body of 16 KiB has room for fewer. */
const MOST_UNNAMED = 32_767;

export interface RedactedWebhook {
  readonly observationKey: string;
  readonly status: Webhook['status'];
  /** 100 ns ticks since the Unix epoch; null when undated. */
  readonly ticks: bigint | null;
  readonly zone: 'utc' | 'offset' | 'assumed' | null;
  readonly actionDate: string | null;
  readonly sealedActionDate: Buffer | null;
  readonly extraFields: string | null;
  readonly extraUnnamed: number;
}

/**
 * What of an understood webhook may be kept, its subject aside: no column holds text that may be a credential. A date is
 * kept as it was sent; text that is not one may be anything, a token included, so it is sealed.
 * @throws AppError when the sealer has to store a new data key and cannot
 */
export async function redactWebhook(
  { keyring, sealer }: { readonly keyring: Keyring; readonly sealer: Sealer },
  source: { readonly group: string; readonly timeZone: string },
  { webhook, extra }: { readonly webhook: Webhook; readonly extra: ExtraFields },
): Promise<RedactedWebhook> {
  const { type, id, status, actionDate } = webhook;
  const date = parseActionDate(actionDate, source.timeZone);
  const dated = date.kind === 'dated' ? date : null;
  if (dated === null) await sealer.ready();
  const key = observationKey(keyring, { group: source.group, type, id, status, actionDateRaw: actionDate });
  return {
    observationKey: key,
    status,
    ticks: dated?.ticks ?? null,
    zone: dated?.zone ?? null,
    actionDate: dated === null ? null : actionDate,
    sealedActionDate: dated === null ? sealer.seal(actionDate, { row: key, purpose: 'action-date' }) : null,
    extraFields: extra.names.length > 0 ? extra.names.join() : null,
    extraUnnamed: Math.min(extra.unnamed, MOST_UNNAMED),
  };
}
