import type { AuditHead, SafeName } from '@tidegate/core';
import { type ProcessEnv, readSecretFile, replaceSecretFile } from '@tidegate/runtime';
import {
  isLiveSigningSecret,
  retireSigningSecret as retire,
  rotateSigningSecret as rotate,
  type SigningSecretOrder,
  type Sql,
  saveDataKey,
} from '@tidegate/store';
import { auditSigner, createSealer, type Keyring, lookupHash, newSigningSecret } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { mayPrintSecret } from '../output/may-print-secret.ts';
import { say } from '../output/say.ts';

interface OrderFlags {
  readonly destination?: string;
  readonly reason: SafeName;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

export interface RotateFlags extends OrderFlags {
  readonly overlap?: number;
  readonly yes?: boolean;
}

/** `tidegate signing-secrets rotate SERVICE`: printed to a terminal, or anywhere with `--yes`. Workers sign with it at once. */
export async function rotateSigningSecret(service: string, flags: RotateFlags): Promise<void> {
  if (!mayPrintSecret('the secret', flags.yes)) return;
  await withStore(async (sql, keyring, env) => {
    const secret = newSigningSecret();
    const sealer = createSealer({ keyring, saveDataKey: (key) => saveDataKey(sql, key), now: Date.now });
    await sealer.ready();
    const order = toOrder(service, flags);
    const inFile = order.destination === null && (await isKeptInFile(sql, keyring, env, service));
    const seal = (id: number) => ({
      sealed: sealer.seal(secret, { row: `service-${id}`, purpose: 'signing-secret' }),
      hash: lookupHash(keyring, 'signing-secret', secret),
    });
    const rotation = { ...order, seal, overlapMs: flags.overlap ?? null };
    const { outcome, head } = await rotate(sql, rotation, auditSigner(keyring));
    if (outcome.kind !== 'rotated') {
      fail(outcome.kind === 'not_found' ? NO_SERVICE(service) : UNDER_WAY(service), 1);
      return;
    }
    // After the commit: if this process dies in between, the file has the older one, which still signs too.
    if (inFile) await replaceSecretFile(env.dataDir, fileName(service), secret);
    const endsAt = outcome.endsAt?.toISOString() ?? null;
    tell(flags, { service, destination: order.destination, secret, olderEndsAt: endsAt }, head, [
      `New signing secret of ${service}, shown this once: ${secret}`,
      'Callbacks are signed with it and with the one before it from the next attempt on.',
      endsAt === null
        ? `Give it to the receivers, then: tidegate signing-secrets retire ${service}`
        : `Give it to the receivers: the one before it ends at ${endsAt}.`,
    ]);
  });
}

/** `tidegate signing-secrets retire SERVICE` */
export async function retireSigningSecret(service: string, flags: OrderFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = toOrder(service, flags);
    const { outcome, head } = await retire(sql, order, auditSigner(keyring));
    switch (outcome.kind) {
      case 'not_found':
        fail(NO_SERVICE(service), 1);
        return;
      case 'nothing_to_retire':
        fail(`Only one secret signs for ${order.destination ?? service}: nothing is being rotated.`, 1);
        return;
      case 'retired':
        tell(flags, { service, destination: order.destination, retired: true }, head, [
          'Callbacks are signed with the newest secret alone from the next attempt on.',
        ]);
    }
  });
}

const NO_SERVICE = (service: string) => `There is no service ${service}.`;
const UNDER_WAY = (service: string) => `Two secrets sign for ${service} already: retire the older one first.`;

function toOrder(service: string, { destination, reason, actor }: OrderFlags): SigningSecretOrder {
  return { service, destination: destination ?? null, reason, actor: currentActor(actor) };
}

/** Made because the config gives none; the worker reads it there at its start, and the owner looks there. */
function fileName(service: string): string {
  return `signing-secret-${service}`;
}

async function isKeptInFile(sql: Sql, keyring: Keyring, env: ProcessEnv, service: string): Promise<boolean> {
  const made = await readSecretFile(env.dataDir, fileName(service)).catch(() => null);
  return made !== null && isLiveSigningSecret(sql, service, lookupHash(keyring, 'signing-secret', made));
}

function tell(flags: OrderFlags, answer: object, head: AuditHead | null, sentences: readonly string[]): void {
  if (flags.json) {
    say(JSON.stringify({ ...answer, audit: presentHead(head) }));
    return;
  }
  for (const sentence of sentences) say(sentence);
  if (head !== null) say(describeHead(head));
}
