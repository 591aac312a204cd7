import {
  type ActionDate,
  observationId,
  parseActionDate,
  parseWebhook,
  type Webhook,
  type WebhookError,
} from '@tidegate/core';
import type { DeliveryRecord, LiveSource } from '@tidegate/store';
import { fingerprintSubject, type Keyring, observationKey, type Sealer } from '@tidegate/vault';
import type { DeliveryOutcome } from '../record/commit-deliveries.ts';
import type { GroupCommitter } from '../record/group-committer.ts';
import { newDeliveryId } from '../record/new-delivery-id.ts';
import type { NamedSubject } from '../record/subject-directory.ts';

/** What becomes of one delivery; each variant has one HTTP status. */
export type ReceiveResult =
  | { readonly kind: 'recorded'; readonly observation: string; readonly repeat: boolean }
  | { readonly kind: 'malformed'; readonly errors: readonly WebhookError[] }
  | { readonly kind: 'refused' };

/** A delivery on its way into a commit: everything but the subject's row id. */
export interface IntakeItem {
  readonly subject: NamedSubject;
  readonly delivery: Omit<DeliveryRecord, 'subjectId'>;
}

export interface Intake {
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly committer: GroupCommitter<IntakeItem, DeliveryOutcome>;
  readonly now: () => number;
}

/**
 * Receives one body from an authenticated source: parse, redact, record. Resolves after the commit (I1).
 * @throws AppError when the store cannot be reached or the outcome of the commit is unknown: answer 503
 */
export async function receiveDelivery(intake: Intake, source: LiveSource, body: Buffer): Promise<ReceiveResult> {
  const parsed = parseWebhook(body);
  if (!parsed.ok) return { kind: 'malformed', errors: parsed.errors };
  const { webhook, extra } = parsed;
  const date = parseActionDate(webhook.actionDate, source.timeZone);
  if (date.kind === 'undated') await intake.sealer.ready();
  const key = observationKey(intake.keyring, {
    ...naming(source, webhook),
    status: webhook.status,
    actionDateRaw: webhook.actionDate,
  });
  const outcome = await intake.committer.submit({
    subject: nameSubject(intake.keyring, source, webhook),
    delivery: {
      deliveryId: newDeliveryId(intake.now()),
      observationKey: key,
      sourceId: source.id,
      status: webhook.status,
      ...dateColumns(intake.sealer, key, webhook.actionDate, date),
      extraFields: extra.names.length > 0 ? extra.names.join() : null,
      extraUnnamed: Math.min(extra.unnamed, 32_767),
    },
  });
  if (outcome.kind === 'refused') return { kind: 'refused' };
  return { kind: 'recorded', observation: observationId(key), repeat: outcome.repeat };
}

function naming(source: LiveSource, webhook: Webhook) {
  return { group: source.group, type: webhook.type, id: webhook.id };
}

function nameSubject(keyring: Keyring, source: LiveSource, webhook: Webhook): NamedSubject {
  const fingerprint = fingerprintSubject(keyring, naming(source, webhook));
  return {
    ...naming(source, webhook),
    fingerprint,
    cacheKey: `${fingerprint.version}:${fingerprint.value.toString('base64')}`,
  };
}

/** A date is kept as it was sent; text that is not one may be anything, a token included, so it is sealed. */
function dateColumns(sealer: Sealer, key: string, raw: string, date: ActionDate) {
  if (date.kind === 'dated') return { ticks: date.ticks, zone: date.zone, actionDate: raw, sealedActionDate: null };
  return {
    ticks: null,
    zone: null,
    actionDate: null,
    sealedActionDate: sealer.seal(raw, { row: key, purpose: 'action-date' }),
  };
}
