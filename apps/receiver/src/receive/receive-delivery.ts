import { observationId, parseWebhook, type WebhookError } from '@tidegate/core';
import type { DeliveryRecord, LiveSource } from '@tidegate/store';
import { type Keyring, newDeliveryId, redactWebhook, type Sealer } from '@tidegate/vault';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { DeliveryOutcome } from '../record/commit-deliveries.ts';
import type { GroupCommitter } from '../record/group-committer.ts';
import { type NamedSubject, nameSubject } from '../record/subject-directory.ts';
import type { SentFacts } from './describe-delivery.ts';

/** What becomes of one delivery; each variant has one HTTP status. */
export type ReceiveResult =
  | {
      readonly kind: 'recorded';
      readonly observation: string;
      readonly repeat: boolean;
      readonly sent: SentFacts;
    }
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
  readonly quarantine: Quarantine;
  readonly now: () => number;
}

/**
 * Receives one body from an authenticated source: parse, redact, record. Resolves after the commit (I1); a body that is not
 * understood is kept sealed before it is answered.
 * @throws AppError when the store cannot be reached or the outcome of the commit is unknown: answer 503
 */
export async function receiveDelivery(intake: Intake, source: LiveSource, body: Buffer): Promise<ReceiveResult> {
  const parsed = parseWebhook(body);
  if (!parsed.ok) {
    const [first] = parsed.errors;
    if (first !== undefined) await intake.quarantine.keep(source, body, first);
    return { kind: 'malformed', errors: parsed.errors };
  }
  const { type, id } = parsed.webhook;
  const redacted = await redactWebhook(intake, source, parsed);
  const outcome = await intake.committer.submit({
    subject: nameSubject(intake.keyring, { group: source.group, type, id }),
    delivery: { deliveryId: newDeliveryId(intake.now()), sourceId: source.id, ...redacted },
  });
  if (outcome.kind === 'refused') return outcome;
  const sent = { actionDate: parsed.webhook.actionDate, extraFields: parsed.extra.names };
  return { kind: 'recorded', observation: observationId(redacted.observationKey), repeat: outcome.repeat, sent };
}
