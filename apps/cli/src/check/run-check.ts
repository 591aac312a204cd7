import { recheckEvery } from '@tidegate/core';
import { type Config, formatDuration, loadConfig, readProcessEnv, screenSize } from '@tidegate/runtime';
import { failFor } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { loadWholeConfig } from '../up/load-whole-config.ts';
import { describeNotify, showNotify } from './describe-notify.ts';
import { findRefusedProbes } from './find-refused-probes.ts';
import { listWarnings } from './list-warnings.ts';
import { showDefaults } from './show-defaults.ts';

/** `tidegate check`: the policy in effect for each service, with a mark where nobody chose it. Exit code 2 on errors. */
export async function runCheck(flags: { config?: string; json?: boolean }): Promise<void> {
  try {
    const file = flags.config ?? readProcessEnv().configFile;
    const config = loadWholeConfig(file);
    const summaries = await summarizeAll(config, loadConfig({ file, app: 'worker' }));
    if (flags.json)
      say(
        JSON.stringify({
          services: summaries,
          notify: describeNotify(config, Date.now()),
          defaultsTaken: config.defaultsTaken,
        }),
      );
    else show(config, summaries);
  } catch (error) {
    failFor('check', error);
  }
}

type Summary = ReturnType<typeof summarize>;

/** Only the worker knows where probes lead. */
function summarizeAll(config: Config, ofWorker: Config): Promise<Summary[]> {
  return Promise.all(
    config.services.map(async (service, index) => {
      const summary = summarize(config, service);
      const probed = ofWorker.services[index];
      const refused = probed === undefined ? [] : await findRefusedProbes(ofWorker, probed);
      return { ...summary, warnings: [...summary.warnings, ...refused] };
    }),
  );
}

function summarize(config: Config, service: Config['services'][number]) {
  const { name, source, device, tunnel, policy, probes } = service;
  const layers = {
    liveness: probes.liveness !== null,
    readiness: probes.readiness !== null,
    device: config.localtonet !== null && (device !== null || tunnel !== null),
    tunnel: config.localtonet !== null && tunnel !== null,
    public: probes.public !== null,
    application: probes.application !== null,
  };
  const warnings = listWarnings(layers);
  return { name, source, device, tunnel, policyName: policy, policy: config.policies[policy], layers, warnings };
}

function show(config: Config, summaries: readonly Summary[]): void {
  say(`${config.file}: ${config.sources.length} source(s), ${config.services.length} service(s)`);
  for (const { name, source, policyName, layers, policy, warnings } of summaries) {
    const configured = Object.entries(layers).flatMap(([layer, on]) => (on ? [layer] : []));
    say('');
    say(`${name}  (source ${source}, policy ${policyName})`);
    say(`  layers     ${configured.length > 0 ? configured.join(', ') : 'none: this gate can never open'}`);
    for (const warning of warnings) say(`  warning    ${warning}`);
    if (policy === undefined) continue;
    const recheckMs = recheckEvery(policy.verify.recheckEveryMs, config.localtonet?.pollEveryMs ?? null);
    say(
      `  opens      after ${formatDuration(policy.openAfterMs)}, at most ${formatDuration(policy.maxWaitMs)}; reopens within ${formatDuration(policy.reopenWithinMs)}`,
    );
    say(
      `  verifies   ${policy.verify.passes} passes, every ${formatDuration(policy.verify.everyMs)}; re-check ${formatDuration(recheckMs)}`,
    );
  }
  for (const line of showNotify(config, Date.now())) say(line);
  for (const line of showDefaults(config.defaultsTaken, screenSize()?.columns)) say(line);
}
