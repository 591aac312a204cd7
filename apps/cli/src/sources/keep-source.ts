import type { AuditHead, SafeName } from '@tidegate/core';
import type { ProcessEnv } from '@tidegate/runtime';
import {
  addSource as add,
  cancelRotation,
  finishRotation,
  isLiveSecret,
  removeSource as remove,
  rotateSource as rotate,
  type Sql,
} from '@tidegate/store';
import { auditSigner, type Keyring, lookupHash, newPathSecret } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { renewReadyFile } from './renew-ready-file.ts';
import { readMadeSecret, writeMadeSecret } from './secret-file.ts';
import { webhookUrl } from './webhook-url.ts';

interface SourceFlags {
  readonly actor?: SafeName;
  readonly json?: boolean;
}

export interface AddSourceFlags extends SourceFlags {
  readonly group?: string;
  readonly timeZone: string;
  readonly watch: 'linked' | 'all';
}

/** `tidegate sources add NAME`: its webhook URL is shown this once and kept nowhere. */
export async function addSource(name: string, flags: AddSourceFlags): Promise<void> {
  await withStore(async (sql, keyring, env) => {
    const secret = newPathSecret();
    const { group = name, timeZone, watch } = flags;
    const secretHash = lookupHash(keyring, 'source-secret', secret);
    const source = { name, group, timeZone, watch, secretHash, actor: currentActor(flags.actor) };
    const { outcome, head } = await add(sql, source, auditSigner(keyring));
    if (outcome.kind === 'exists') {
      fail(`There is a source ${name} already${outcome.origin === 'config' ? ', defined by the config' : ''}.`, 1);
      return;
    }
    const url = await webhookUrl(env, secret);
    tell(flags, { name, webhookUrl: url }, head, [
      `Webhook URL of ${name}, shown this once: ${url}`,
      'Receivers take it within 5 seconds.',
    ]);
  });
}

export interface RotateSourceFlags extends SourceFlags {
  readonly finish?: boolean;
  readonly cancel?: boolean;
}

/** `tidegate sources rotate NAME`: a second secret beside the first; with `--finish` the first ends, with `--cancel` the second. */
export async function rotateSource(name: string, flags: RotateSourceFlags): Promise<void> {
  await withStore(async (sql, keyring, env) => {
    if (flags.cancel) await cancel(sql, keyring, env, { name, flags });
    else if (flags.finish) await finish(sql, keyring, env, { name, flags });
    else await begin(sql, keyring, env, { name, flags });
  });
}

interface Rotating {
  readonly name: string;
  readonly flags: SourceFlags;
}

async function begin(sql: Sql, keyring: Keyring, env: ProcessEnv, { name, flags }: Rotating): Promise<void> {
  const made = await readMadeSecret(env.dataDir, name);
  const becomesConfigured =
    made !== null && (await isLiveSecret(sql, name, lookupHash(keyring, 'source-secret', made)));
  const secret = newPathSecret();
  const secretHash = lookupHash(keyring, 'source-secret', secret);
  const rotation = { name, actor: currentActor(flags.actor), secretHash, becomesConfigured };
  const { outcome, head } = await rotate(sql, rotation, auditSigner(keyring));
  if (outcome.kind === 'not_found') {
    fail(`There is no source ${name}.`, 1);
    return;
  }
  if (outcome.kind === 'under_way') {
    fail(
      `Two secrets of ${name} are live already: end the first with --finish, or the second with --cancel if its URL was lost, then rotate again.`,
      1,
    );
    return;
  }
  // After the commit: if this process dies in between, the file has the first secret, and --finish ends the second.
  if (becomesConfigured) await writeMadeSecret(env.dataDir, name, secret);
  const url = await webhookUrl(env, secret);
  tell(flags, { name, webhookUrl: url }, head, [
    `Second webhook URL of ${name}, shown this once: ${url}`,
    `Register it at Localtonet, see it arrive in \`tidegate sources list\`, remove the old webhook, then: tidegate sources rotate ${name} --finish`,
  ]);
  // Last, for the URL above is shown this once, whatever becomes of the file.
  if (becomesConfigured) await renewReadyFile(env, name, secret);
}

async function readMadeHash(keyring: Keyring, env: ProcessEnv, name: string): Promise<Buffer | null> {
  const made = await readMadeSecret(env.dataDir, name);
  return made === null ? null : lookupHash(keyring, 'source-secret', made);
}

async function cancel(sql: Sql, keyring: Keyring, env: ProcessEnv, { name, flags }: Rotating): Promise<void> {
  const order = { name, actor: currentActor(flags.actor), madeHash: await readMadeHash(keyring, env, name) };
  const { outcome, head } = await cancelRotation(sql, order, auditSigner(keyring));
  switch (outcome.kind) {
    case 'not_found':
      fail(`There is no source ${name}.`, 1);
      return;
    case 'nothing_to_cancel':
      fail(`Only one secret of ${name} is live: nothing is being rotated.`, 1);
      return;
    case 'configured':
      fail(`The second secret of ${name} is in the config, or in its file in the data folder: it is not lost.`, 1);
      return;
    case 'cancelled':
      tell(flags, { name, cancelled: true }, head, [
        `The second webhook URL of ${name} is refused within 5 seconds; the first one stays.`,
      ]);
  }
}

async function finish(sql: Sql, keyring: Keyring, env: ProcessEnv, { name, flags }: Rotating): Promise<void> {
  const order = { name, actor: currentActor(flags.actor), madeHash: await readMadeHash(keyring, env, name) };
  const { outcome, head } = await finishRotation(sql, order, auditSigner(keyring));
  switch (outcome.kind) {
    case 'not_found':
      fail(`There is no source ${name}.`, 1);
      return;
    case 'nothing_to_finish':
      fail(`Only one secret of ${name} is live: nothing is being rotated.`, 1);
      return;
    case 'configured':
      fail(
        `The config still gives the first secret of ${name}: put the second one there, restart the receiver, then finish.`,
        1,
      );
      return;
    case 'finished':
      tell(flags, { name, retired: outcome.retired }, head, [
        `The first webhook URL of ${name} is refused from now on.`,
      ]);
  }
}

/** `tidegate sources remove NAME` */
export async function removeSource(name: string, flags: SourceFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { name, actor: currentActor(flags.actor) };
    const { outcome, head } = await remove(sql, order, auditSigner(keyring));
    switch (outcome.kind) {
      case 'not_found':
        fail(`There is no source ${name}.`, 1);
        return;
      case 'configured':
        fail(`The source ${name} is defined by the config: remove it there and restart the receiver.`, 1);
        return;
      case 'removed':
        tell(flags, { name, removed: true }, head, [`Removed ${name}: its webhook URLs are refused within 5 seconds.`]);
    }
  });
}

function tell(flags: SourceFlags, answer: object, head: AuditHead | null, sentences: readonly string[]): void {
  if (flags.json) {
    say(JSON.stringify({ ...answer, audit: presentHead(head) }));
    return;
  }
  for (const sentence of sentences) say(sentence);
  if (head !== null) say(describeHead(head));
}
