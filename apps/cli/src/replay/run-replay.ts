import { compareReplays, type ReplayHistory, type ReplayRules, simulate } from '@tidegate/core';
import { type Config, loadConfig, loadPolicies } from '@tidegate/runtime';
import { loadHistory } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { presentReplay } from './present-replay.ts';

export interface ReplayFlags {
  readonly policy: string;
  readonly since: Date;
  readonly until?: Date;
  readonly config?: string;
  readonly json?: boolean;
}

/** More would not fit into memory comfortably, nor be read by a person. */
const MOST_OBSERVATIONS = 500_000;
const USAGE = 2;

/** `tidegate replay`: reads what was stored, and plays it twice. */
export async function runReplay(flags: ReplayFlags): Promise<void> {
  if (flags.since.getTime() >= (flags.until?.getTime() ?? Date.now())) {
    fail('That time ends before it begins: --since must lie before --until, which is now unless given.', USAGE);
    return;
  }
  await withStore(async (sql, _keyring, env) => {
    const current = loadConfig({ file: flags.config ?? env.configFile, app: 'cli' });
    const proposed = loadPolicies(flags.policy);
    const lookBackMs = Math.max(
      ...[current, proposed].flatMap(({ policies }) => Object.values(policies).map(({ flap }) => flap.windowMs)),
    );
    const range = { since: flags.since, until: flags.until ?? null, lookBackMs, most: MOST_OBSERVATIONS };
    const history = await loadHistory(sql, range);
    if (history === null) {
      fail(`That time holds more than ${MOST_OBSERVATIONS} observations: choose a shorter one.`, 1);
      return;
    }
    const unknown = namesOfNothing(history, current, proposed);
    if (unknown.length > 0) {
      fail(`No service has the policy ${unknown.join(', ')}: it would change nothing.`, USAGE);
      return;
    }
    for (const line of replay(history, current, proposed, flags.json === true)) say(line);
  });
}

type Thresholds = Pick<Config, 'policies' | 'mass'>;

/** Policies that are proposed, and that neither a service has nor the config names: most likely misspelt. */
function namesOfNothing(history: ReplayHistory, current: Thresholds, proposed: Thresholds): string[] {
  const known = new Set([...Object.keys(current.policies), ...history.subjects.flatMap(({ policies }) => policies)]);
  return Object.keys(proposed.policies).filter((name) => !known.has(name));
}

function replay(history: ReplayHistory, current: Thresholds, proposed: Thresholds, json: boolean): string[] {
  const now = simulate(history, toRules(current));
  const then = simulate(history, toRules(proposed));
  const differences = compareReplays(now, then);
  if (!json) return presentReplay(history, now, then, differences);
  return [JSON.stringify({ observations: history.observations.length, current: now, proposed: then, differences })];
}

function toRules({ policies, mass }: Thresholds): ReplayRules {
  const { default: fallback } = policies;
  if (fallback === undefined) throw new Error('policies always hold the default one');
  return { byName: policies, fallback, mass };
}
