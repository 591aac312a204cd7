import { AppError } from '@tidegate/core';
import { endWith, errorCode, type ProcessEnv, screenSize } from '@tidegate/runtime';
import { formatTable, type TableRow } from '../output/format-table.ts';
import { hasColour, type Tone } from '../output/paint.ts';
import { say } from '../output/say.ts';
import { readDatabaseSecret } from '../up/database-secret.ts';
import { examineKeys } from '../vault/examine-keys.ts';
import { examineClock } from './examine-clock.ts';
import { examineConfig, examineEnv } from './examine-config.ts';
import { examineLocaltonet } from './examine-localtonet.ts';
import { examinePorts } from './examine-ports.ts';
import { examinePostgres } from './examine-postgres.ts';
import { examineReceivers } from './examine-receivers.ts';
import { examineRedis } from './examine-redis.ts';
import { examineSpool } from './examine-spool.ts';
import { broken, type CheckName, type Finding } from './finding.ts';

const EXIT_CODES = { ok: 0, warning: 1, broken: 2 } as const;
const FIX_UNFORESEEN =
  'Mend what it says, see that this user may use the data folder and the network, and run `tidegate doctor` again.';
const TONES: Readonly<Record<Finding['state'], Tone>> = { ok: 'good', warning: 'waiting', broken: 'bad' };

/** `tidegate doctor`: looks at what Tidegate needs and changes nothing. Exit code 0 all fine, 1 warnings, 2 something broken. */
export async function runDoctor(flags: { config?: string; json?: boolean }): Promise<void> {
  const { env, findings: ofEnv } = examineEnv();
  const findings = env === null ? ofEnv : await examineAll(env, flags.config ?? env.configFile);
  const worst = worstOf(findings);
  if (flags.json) say(JSON.stringify({ state: worst, items: findings }));
  else show(findings);
  endWith(EXIT_CODES[worst]);
}

async function examineAll(env: ProcessEnv, configFile: string): Promise<Finding[]> {
  const { config, findings: ofConfig } = examineConfig(configFile);
  const url = env.databaseUrl ?? (await readDatabaseSecret(env.dataDir));
  const { store, findings: ofPostgres } = await examinePostgres(url, env.dataDir);
  const migrated = store !== null && store.keyringId !== null;
  const silentAfterMs = config?.receiver.silentAfterMs ?? null;
  const rest = await Promise.all([
    unfailing('redis', () => examineRedis(env.redisUrl)),
    unfailing('keys', () => examineKeys(env.dataDir, store?.keyringId ?? null)),
    unfailing('clock', () => examineClock(store, config)),
    unfailing('ports', () => examinePorts(env)),
    unfailing('localtonet', () => examineLocaltonet(config)),
    unfailing('spool', () => examineSpool(env.dataDir)),
    migrated && url !== null && silentAfterMs !== null
      ? unfailing('receivers', () => examineReceivers(url, silentAfterMs))
      : [],
  ]);
  return [...ofConfig, ...ofPostgres, ...rest.flat()];
}

/** A check that fails in a way it did not foresee is a finding too, and does not take the others with it. */
async function unfailing(check: CheckName, examine: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await examine();
  } catch (error) {
    const says = error instanceof AppError ? error.publicMessage : `It cannot be looked at (${errorCode(error)}).`;
    return [broken(check, says, FIX_UNFORESEEN)];
  }
}

function worstOf(findings: readonly Finding[]): Finding['state'] {
  const has = (state: Finding['state']) => findings.some((finding) => finding.state === state);
  return has('broken') ? 'broken' : has('warning') ? 'warning' : 'ok';
}

function show(findings: readonly Finding[]): void {
  const rows = findings.map(({ check, state, says, fix }, index): TableRow => {
    const cells = [{ text: state, tone: TONES[state] }, check.replace('_', ' '), says];
    return { key: String(index), cells, below: fix === null ? [] : [`Fix: ${fix}`] };
  });
  for (const line of formatTable(['STATE', 'CHECK', 'FOUND'], rows, hasColour(), screenSize()?.columns)) say(line);
}
