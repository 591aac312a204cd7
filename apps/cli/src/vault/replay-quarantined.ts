import { observationId, parseWebhook, type SafeName, type WebhookResult } from '@tidegate/core';
import { type Config, loadConfig, readProcessEnv } from '@tidegate/runtime';
import {
  claimReplay,
  inAuditedTransaction,
  type RecordedBatch,
  readQuarantined,
  recordBatch,
  resolveSubjects,
  type StoredQuarantine,
  saveDataKey,
} from '@tidegate/store';
import { auditSigner, createSealer, identifySubject, newDeliveryId, redactWebhook } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { presentHead } from '../audit/present-head.ts';
import { fail, failFor } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { type VaultContext, withVault } from './with-vault.ts';

export interface ReplayFlags {
  readonly config?: string;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

type Understood = Extract<WebhookResult, { ok: true }>;

const TOLD_BEFORE = 'This body was replayed before.';

/**
 * `tidegate quarantine replay ID`: reads a body again and records it if it is understood now, as a delivery received at this
 * moment: gates shut, incidents follow. The workers' next sweep finds what became due.
 */
export async function replayQuarantined(id: string, flags: ReplayFlags): Promise<void> {
  const config = loadSettings(flags.config);
  if (config === null) return;
  await withVault(async (vault) => {
    const row = await readQuarantined(vault.sql, id);
    if (row === null) {
      fail('Nothing in quarantine has this id.', 1);
      return;
    }
    if (row.replayedAs !== null) {
      fail(`${TOLD_BEFORE.slice(0, -1)}, as ${row.replayedAs}.`, 1);
      return;
    }
    const body = await vault.opener.open(row.sealedBody, { row: row.id, purpose: 'quarantined-body' });
    await vault.countOpenings();
    const parsed = parseWebhook(body);
    if (parsed.ok) await replay(vault, row, parsed, config, flags);
    else refuse(parsed);
  });
}

function loadSettings(file: string | undefined): Config | null {
  try {
    return loadConfig({ file: file ?? readProcessEnv().configFile, app: 'cli' });
  } catch (error) {
    failFor('tidegate', error);
    return null;
  }
}

function refuse({ errors }: Extract<WebhookResult, { ok: false }>): void {
  const problems = errors.map(({ field, problem }) => `${field} ${problem}`).join(', ');
  fail(`The body is still not understood (${problems}); nothing was changed.`, 1);
}

async function replay(
  vault: VaultContext,
  row: StoredQuarantine,
  parsed: Understood,
  config: Config,
  flags: ReplayFlags,
): Promise<void> {
  const recorded = await recordAs(vault, row, parsed, config, currentActor(flags.actor));
  if (recorded === null) {
    fail(TOLD_BEFORE, 1);
    return;
  }
  const { observation, repeat, shut, audit } = recorded;
  if (flags.json) {
    say(JSON.stringify({ id: row.id, observation, repeat, shut, audit }));
    return;
  }
  say(`${row.id} is recorded as ${observation}${repeat ? ', a repeat of what was known' : ''}.`);
  if (shut.length > 0) say(`Gates shut: ${shut.join(', ')}`);
}

/** Records, marks and tells the trail in one transaction; null when another replay was first. */
async function recordAs(
  { sql, keyring }: VaultContext,
  row: StoredQuarantine,
  parsed: Understood,
  config: Config,
  actor: SafeName,
) {
  const sealer = createSealer({ keyring, saveDataKey: (key) => saveDataKey(sql, key), now: Date.now });
  await sealer.ready();
  const { type, id } = parsed.webhook;
  const redacted = await redactWebhook({ keyring, sealer }, row, parsed);
  const subject = identifySubject({ keyring, sealer }, { group: row.group, type, id });
  const observation = observationId(redacted.observationKey);
  const { outcome, head } = await inAuditedTransaction<RecordedBatch | null>(sql, auditSigner(keyring), async (tx) => {
    if (!(await claimReplay(tx, row.id, observation))) return { outcome: null, entry: null };
    const [known] = await resolveSubjects(tx, [subject]);
    const delivery = {
      deliveryId: newDeliveryId(Date.now()),
      sourceId: row.sourceId,
      subjectId: known?.id ?? 0,
      ...redacted,
    };
    const batch = await recordBatch(tx, [delivery], recordSettings(config));
    const facts = { source: row.source, observation };
    return { outcome: batch, entry: { actor, action: 'quarantine.replay', target: row.id, reason: null, facts } };
  });
  if (outcome === null) return null;
  return { observation, repeat: outcome.repeats[0] === true, shut: outcome.shut, audit: presentHead(head) };
}

function recordSettings({ receiver, policies }: Config) {
  const fallback = policies.default;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  return { skewBoundMs: receiver.skewBoundMs, openAfterMs: fallback.openAfterMs, maxWaitMs: fallback.maxWaitMs };
}
