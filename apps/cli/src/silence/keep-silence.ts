import type { AuditHead, SafeName, SilenceScope } from '@tidegate/core';
import { createSilence, endSilence, listSilences, type SilenceRow } from '@tidegate/store';
import { auditSigner, newId } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';

export interface AddSilenceFlags {
  readonly service?: string;
  readonly group?: string;
  readonly all?: boolean;
  readonly reason: SafeName;
  readonly for: number;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

const USAGE = 2;

/** `tidegate silence add` */
export async function addSilence(flags: AddSilenceFlags): Promise<void> {
  const asked = targetsOf(flags);
  const [what] = asked;
  if (what === undefined || asked.length > 1) {
    fail('Name one thing to silence: --service NAME, --group ALIAS or --all.', USAGE);
    return;
  }
  await withStore(async (sql, keyring) => {
    const actor = currentActor(flags.actor);
    const silence = { id: newId('sil'), ...what, actor, reason: flags.reason, forMs: flags.for, keyId: null };
    const { outcome, head } = await createSilence(sql, silence, auditSigner(keyring));
    if (outcome.kind === 'unknown_target') {
      fail(
        what.scope === 'service' ? 'There is no service of this name.' : 'There is no device or tunnel of this alias.',
        1,
      );
      return;
    }
    tell(
      flags,
      outcome.silence,
      head,
      `Silenced until ${outcome.silence.expiresAt.toISOString()}: ${outcome.silence.id}`,
    );
  });
}

/** `tidegate silence list` */
export async function listAllSilences(flags: {
  ended?: boolean;
  limit: number;
  cursor?: string;
  json?: boolean;
}): Promise<void> {
  await withStore(async (sql) => {
    const filter = { live: flags.ended !== true, services: null, cursor: flags.cursor ?? null, limit: flags.limit };
    const { items: silences, nextCursor } = await listSilences(sql, filter);
    if (flags.json) {
      say(JSON.stringify({ items: silences, nextCursor }));
      return;
    }
    for (const { id, scope, target, targetName, actor, reason, expiresAt, live } of silences) {
      const named = targetName === null ? '' : ` (${targetName})`;
      const what = target === null ? 'everything' : `${scope} ${target}${named}`;
      say(`${id}  ${live ? 'mutes until' : 'over since '} ${expiresAt.toISOString()}  ${what}  by ${actor}: ${reason}`);
    }
    if (nextCursor !== null) say(`More: --cursor ${nextCursor}`);
    if (silences.length === 0) say(flags.ended ? 'No silences.' : 'Nothing is silenced.');
  });
}

/** `tidegate silence end ID` */
export async function endOneSilence(id: string, flags: { actor?: SafeName; json?: boolean }): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { id, actor: currentActor(flags.actor), keyId: null, services: null };
    const { outcome, head } = await endSilence(sql, order, auditSigner(keyring));
    switch (outcome.kind) {
      case 'not_found':
        fail('There is no silence of this id.', 1);
        return;
      case 'over':
        fail('It is over already.', 1);
        return;
      case 'ended':
        tell(flags, outcome.silence, head, `Ended ${id}.`);
    }
  });
}

function targetsOf({ service, group, all }: AddSilenceFlags): { scope: SilenceScope; target: string | null }[] {
  return [
    ...(service === undefined ? [] : [{ scope: 'service', target: service } as const]),
    ...(group === undefined ? [] : [{ scope: 'group', target: group } as const]),
    ...(all === true ? [{ scope: 'all', target: null } as const] : []),
  ];
}

function tell(flags: { json?: boolean }, silence: SilenceRow, head: AuditHead | null, sentence: string): void {
  if (flags.json) {
    say(JSON.stringify({ silence, audit: presentHead(head) }));
    return;
  }
  say(sentence);
  if (head !== null) say(describeHead(head));
}
