import type { AuditHead, EndingRefusal, SafeName } from '@tidegate/core';
import {
  acknowledgeIncident,
  type IncidentOrder,
  noteIncident,
  type OutOfReach,
  type ResolvedIncident,
  resolveIncident,
} from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';

interface ActionFlags {
  readonly actor?: SafeName;
  readonly json?: boolean;
}

export interface ResolveFlags extends ActionFlags {
  readonly override?: boolean;
  readonly reason?: SafeName;
  readonly for?: number;
}

const USAGE = 2;

/** `tidegate incidents ack ID` */
export async function acknowledge(incident: string, flags: ActionFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const { outcome, head } = await acknowledgeIncident(sql, orderOf(incident, flags), auditSigner(keyring));
    switch (outcome.kind) {
      case 'acknowledged':
        tell(flags, { id: incident, state: 'acknowledged' }, head, `Acknowledged ${incident}.`);
        return;
      case 'acknowledged_before':
        fail(`It was acknowledged before, by ${outcome.by}.`, 1);
        return;
      case 'resolved':
        fail('It is resolved already.', 1);
        return;
      default:
        outOfReach(outcome);
    }
  });
}

/** `tidegate incidents note ID TEXT` */
export async function note(incident: string, text: SafeName, flags: ActionFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { ...orderOf(incident, flags), note: text };
    const { outcome, head } = await noteIncident(sql, order, auditSigner(keyring));
    if (outcome.kind === 'noted') tell(flags, { id: incident, noted: true }, head, 'Noted.');
    else outOfReach(outcome);
  });
}

/** `tidegate incidents resolve ID`: by evidence, or by an override with reason and expiry. */
export async function resolve(incident: string, flags: ResolveFlags): Promise<void> {
  const { reason, for: forMs } = flags;
  const complete = reason !== undefined && forMs !== undefined;
  if (flags.override === true ? !complete : reason !== undefined || forMs !== undefined) {
    fail('An override takes all three: --override --reason TEXT --for DURATION.', USAGE);
    return;
  }
  await withStore(async (sql, keyring) => {
    const override = flags.override === true && complete ? { reason, forMs } : null;
    const order = { ...orderOf(incident, flags), override };
    const { outcome, head } = await resolveIncident(sql, order, auditSigner(keyring));
    if (outcome.kind === 'not_found' || outcome.kind === 'not_all_services') outOfReach(outcome);
    else if (outcome.kind === 'refused') fail(describeRefusal(outcome.reason, outcome.mergedInto), 1);
    else tell(flags, { id: incident, ...outcome, kind: undefined }, head, describe(incident, outcome));
  });
}

function orderOf(incident: string, flags: ActionFlags): IncidentOrder {
  return { incident, actor: currentActor(flags.actor), keyId: null, services: null };
}

function describe(incident: string, outcome: Extract<ResolvedIncident, { kind: 'resolved' }>): string {
  if (outcome.by === 'evidence')
    return `Resolved ${incident}: verification ${outcome.verification} proves that it is over.`;
  return `Resolved ${incident} by override. Its gates stay as they are; at ${outcome.until.toISOString()} it is looked at again.`;
}

const REFUSALS: Record<EndingRefusal, string> = {
  already_resolved: 'It is resolved already.',
  still_disconnected: 'It is still disconnected: end it by --override with --reason and --for, or wait.',
  not_verified: 'No verification has proved that it is over: end it by --override with --reason and --for, or wait.',
};

function describeRefusal(reason: EndingRefusal, mergedInto: string | null): string {
  return mergedInto === null ? REFUSALS[reason] : `It was merged into ${mergedInto}.`;
}

function outOfReach(outcome: OutOfReach): void {
  fail(
    outcome.kind === 'not_found' ? 'There is no incident of this id.' : 'It concerns services that are out of reach.',
    1,
  );
}

function tell(flags: ActionFlags, answer: object, head: AuditHead | null, sentence: string): void {
  if (flags.json) {
    say(JSON.stringify({ ...answer, audit: presentHead(head) }));
    return;
  }
  say(sentence);
  if (head !== null) say(describeHead(head));
}
