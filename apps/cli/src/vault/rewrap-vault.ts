import type { AuditHead, SafeName } from '@tidegate/core';
import { countDataKeys, countFingerprints, dropDeadFingerprints, listReceivers, recordAudit } from '@tidegate/store';
import { auditSigner, describeKeyring } from '@tidegate/vault';
import { retireKeys } from '@tidegate/vault/open';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { type Damage, type RewrapCounts, rewrap } from './rewrap.ts';
import { type VaultContext, withVault } from './with-vault.ts';

export interface RewrapFlags {
  readonly batch: number;
  readonly retire?: boolean;
  readonly skipDamaged?: boolean;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

/** How long every process has had to pick new key files up: they look every 2 seconds. */
const SETTLED_MS = 30_000;
const MOST_SHOWN = 20;
const DROPPED_AT_ONCE = 1000;
const MOST_PASSES = 20;

/**
 * `tidegate vault rewrap`: brings everything stored to the current keys. First all of it is opened without a write: if
 * anything cannot be, nothing is touched, unless `--skip-damaged` leaves just that as it is. Exit code 1 in either case.
 */
export async function rewrapVault(flags: RewrapFlags): Promise<void> {
  await withVault(async (vault) => {
    const waiting = await countWaiting(vault);
    const actor = currentActor(flags.actor);
    let head: AuditHead | null = null;
    const damage: Damage[] = [];
    let done: RewrapCounts = { subjects: 0, dataKeys: 0 };
    if (waiting.subjects + waiting.dataKeys > 0) {
      // Told before a key is used.
      head = await recordAudit(vault.sql, auditSigner(vault.keyring), {
        actor,
        action: 'vault.rewrap',
        target: vault.keyring.id,
        reason: null,
        facts: { ...waiting },
      });
      const options = { batch: flags.batch, onDamage: (found: Damage) => void damage.push(found) };
      await rewrap(vault, { ...options, dryRun: true });
      if (damage.length > 0 && flags.skipDamaged !== true) {
        refuse(damage, flags, 'Nothing was changed; --skip-damaged renews the rest.');
        return;
      }
      damage.length = 0;
      done = await renewAll(vault, options, damage);
    }
    if (damage.length > 0) {
      refuse(
        damage,
        flags,
        `${done.subjects} subject(s) and ${done.dataKeys} data key(s) were renewed, these were left as they are.`,
      );
      return;
    }
    if (flags.retire) {
      const retired = await retire(vault, actor);
      if (retired === null) return;
      head = retired;
    }
    await dropDead(vault);
    tell(flags, done, head);
  });
}

/** Again until nothing is left: a process that has not picked the new keys up makes old ones while we work. */
async function renewAll(
  vault: VaultContext,
  options: { readonly batch: number; readonly onDamage: (damage: Damage) => void },
  damage: Damage[],
): Promise<RewrapCounts> {
  const sum = { subjects: 0, dataKeys: 0 };
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    damage.length = 0;
    const { subjects, dataKeys } = await rewrap(vault, { ...options, dryRun: false });
    sum.subjects += subjects;
    sum.dataKeys += dataKeys;
    if (subjects + dataKeys === 0) break;
  }
  return sum;
}

async function countWaiting({ sql, keyring }: VaultContext): Promise<RewrapCounts> {
  const { stale } = await countFingerprints(sql, keyring.fingerprint.current);
  const foreign = (await countDataKeys(sql)).filter(({ recipientKeyId }) => recipientKeyId !== keyring.recipient.id);
  return { subjects: stale, dataKeys: foreign.reduce((total, { count }) => total + count, 0) };
}

/** Rows of retired keys find nobody any more; a process that was late to hear of it may have written some since. */
async function dropDead({ sql, dir }: VaultContext): Promise<void> {
  const { fingerprint } = await describeKeyring(dir);
  while ((await dropDeadFingerprints(sql, fingerprint.versions, DROPPED_AT_ONCE)) > 0);
}

/** @returns the head of the trail; null when it was refused, which has been said */
async function retire(vault: VaultContext, actor: SafeName): Promise<AuditHead | null> {
  const { sql, dir, keyring } = vault;
  const { changedAt, fingerprint, sealing } = await describeKeyring(dir);
  if (fingerprint.versions.length === 1 && sealing.keys.length === 1) {
    fail('There is no old key to retire.', 1);
    return null;
  }
  const sinceMs = Date.now() - changedAt.getTime();
  if (sinceMs < SETTLED_MS) {
    fail(
      `The keys changed ${Math.round(sinceMs / 1000)} s ago: retire the old ones once every process has had ${SETTLED_MS / 1000} s.`,
      1,
    );
    return null;
  }
  const waiting = await countWaiting(vault);
  if (waiting.subjects + waiting.dataKeys > 0) {
    fail('Something stored still needs an old key: run `tidegate vault rewrap` again.', 1);
    return null;
  }
  const silent = (await listReceivers(sql, vault.silentAfterMs)).find((receiver) => receiver.silent);
  if (silent !== undefined) {
    fail(
      `Receiver ${silent.id} is silent and may hold deliveries that need an old key: start it, or retire it with \`tidegate receivers retire\`.`,
      1,
    );
    return null;
  }
  const facts = { fingerprintVersions: fingerprint.versions.join(), sealingKeys: sealing.keys.join() };
  const head = await recordAudit(sql, auditSigner(keyring), {
    actor,
    action: 'vault.retire',
    target: keyring.id,
    reason: null,
    facts,
  });
  await retireKeys(dir);
  return head;
}

function refuse(damage: readonly Damage[], flags: RewrapFlags, outcome: string): void {
  if (flags.json) say(JSON.stringify({ damaged: damage }));
  const shown = damage.slice(0, MOST_SHOWN).map(({ what, sentence }) => `  ${what}: ${sentence}`);
  const more = damage.length > MOST_SHOWN ? [`  and ${damage.length - MOST_SHOWN} more`] : [];
  fail([`${damage.length} stored value(s) cannot be opened. ${outcome}`, ...shown, ...more].join('\n'), 1);
}

function tell(flags: RewrapFlags, done: RewrapCounts, head: AuditHead | null): void {
  const retired = flags.retire === true;
  if (flags.json) {
    say(JSON.stringify({ ...done, retired, audit: presentHead(head) }));
    return;
  }
  say(`Renewed ${done.subjects} subject(s) and ${done.dataKeys} data key(s); nothing stored needs an old key.`);
  if (retired)
    say(
      'Old keys are retired. Keep the backup of the keyring from before for as long as backups of the database from then.',
    );
  if (head !== null) say(describeHead(head));
}
