import type { AuditHead, SafeName } from '@tidegate/core';
import { type CallbackCommand, type CallbackOrder, type OrderedCallback, orderCallback } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';

export interface OrderFlags {
  readonly reason: SafeName;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

export interface GivenOrder {
  readonly callback: string;
  readonly command: CallbackCommand;
  readonly approval: CallbackOrder['approval'];
  /** What is said once it is done. */
  readonly done: string;
}

/** Carries out a person's order about a callback, and says what became of it. */
export async function giveOrder({ done, ...given }: GivenOrder, flags: OrderFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { ...given, actor: currentActor(flags.actor), reason: flags.reason, keyId: null, services: null };
    const { outcome, head } = await orderCallback(sql, order, auditSigner(keyring));
    if (outcome.kind === 'moved') tell(flags, { id: given.callback, ...outcome }, head, done);
    else fail(describeRefusal(outcome), 1);
  });
}

function describeRefusal(outcome: Exclude<OrderedCallback, { kind: 'moved' }>): string {
  switch (outcome.kind) {
    case 'not_found':
      return 'There is no callback of this id.';
    case 'wrong_state':
      return `This cannot be ordered of a callback that is ${outcome.state.replace('_', ' ')}.`;
    case 'payload_differs':
      return 'The payload hash is not the one of this callback: look at it again with tidegate review show.';
    case 'deadline_passed':
      return 'Its deadline has passed, so it may not be sent any more.';
    case 'content_gone':
      return 'What would be sent is not kept any more.';
  }
}

function tell(
  flags: OrderFlags,
  { id, service, state }: { id: string; service: string; state: string },
  head: AuditHead | null,
  done: string,
): void {
  if (flags.json) {
    say(JSON.stringify({ id, service, state, audit: presentHead(head) }));
    return;
  }
  say(done);
  if (head !== null) say(describeHead(head));
}
