import { observationId, parseActionDate, parseWebhook, type WebhookError } from '@tidegate/core';
import type { DeliveryRecord, LiveSource } from '@tidegate/store';
import { type Keyring, observationKey, type Sealer } from '@tidegate/vault';
import type { DeliveryOutcome } from '../record/commit-deliveries.ts';
import type { GroupCommitter } from '../record/group-committer.ts';
import { newDeliveryId } from '../record/new-delivery-id.ts';
import { type NamedSubject, nameSubject } from '../record/subject-directory.ts';

/** What the column holds; a body of 16 KiB has room for fewer. */
const MOST_UNNAMED = 32_767;

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
  const { type, id, status, actionDate } = webhook;
  const { group } = source;
  const date = parseActionDate(actionDate, source.timeZone);
  const dated = date.kind === 'dated' ? date : null;
  if (dated === null) await intake.sealer.ready();
  const key = observationKey(intake.keyring, { group, type, id, status, actionDateRaw: actionDate });
  const outcome = await intake.committer.submit({
    subject: nameSubject(intake.keyring, { group, type, id }),
    delivery: {
      deliveryId: newDeliveryId(intake.now()),
      observationKey: key,
      sourceId: source.id,
      status,
      ticks: dated?.ticks ?? null,
      zone: dated?.zone ?? null,
      // A date is kept as it was sent; text that is not one may be anything, a token included, so it is sealed.
      actionDate: dated === null ? null : actionDate,
      sealedActionDate: dated === null ? intake.sealer.seal(actionDate, { row: key, purpose: 'action-date' }) : null,
      extraFields: extra.names.length > 0 ? extra.names.join() : null,
      extraUnnamed: Math.min(extra.unnamed, MOST_UNNAMED),
    },
  });
  if (outcome.kind === 'refused') return outcome;
  return { kind: 'recorded', observation: observationId(key), repeat: outcome.repeat };
}
