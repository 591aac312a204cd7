import type { GateReason } from '../model/gate.ts';
import type { Verdict } from '../model/verification.ts';

/** Why a run ended without an answer, most basic first. */
export type Inconclusive = 'nothing_configured' | 'control_failed' | 'reporter_silent' | 'unauthorized' | 'unanswered';

const STEPS: Record<Exclude<Verdict, 'inconclusive'>, string> = {
  device_offline: 'Check that the device has power and internet, then restart its Localtonet client.',
  tunnel_stopped: 'Start the tunnel in the Localtonet dashboard and see that its device uses it.',
  agent_down: 'Restart the agent process on the host and read its log for the reason it stopped.',
  agent_not_ready: 'Look at the readiness answer of the agent and restore the dependency it names.',
  public_path_broken: "Open the public URL from another network and check the tunnel's port and address.",
  access_denied: "Replace the probe's credential or restore its rights, since the agent itself answers.",
  app_check_failed: 'Read the log of the agent for the failed application check.',
  healthy: 'Do nothing, since every configured layer passes.',
};

const INCONCLUSIVE_STEPS: Record<Inconclusive, string> = {
  nothing_configured: 'Configure at least one probe or a Localtonet API key for this service.',
  control_failed: 'Restore the internet connection of the machine Tidegate runs on.',
  reporter_silent: 'Restart the reporter on the host so that it answers this verification.',
  unauthorized: 'Replace the Localtonet API key, since it is no longer accepted.',
  unanswered: 'Wait for the next verification, and look at the unknown layers if it stays inconclusive.',
};

/** The next step of an outage of many devices at once. */
export const SHARED_STEP =
  'Look for what these devices share: their network, their power, and the status page of Localtonet.';

/** The next step once every service has passed. */
export const PASSED_STEP = 'Do nothing: it ends by itself once enough verifications in a row have passed.';

/** The next step of a connection that comes and goes. @param calmAt when it settles if nothing changes until then */
export function unstableStep(calmAt: Date | null): string {
  const until = calmAt === null ? '' : `, at ${calmAt.toISOString().slice(11, 16)} UTC at the earliest`;
  return `Check the Wi-Fi and the power of the device. Its gates are held until the connection stays calm${until}, and a verification opens them then; force one open only if calls cannot wait.`;
}

/** The next step for a person, as one imperative sentence. */
export function runbookStep(verdict: Exclude<Verdict, 'inconclusive'>): string {
  return STEPS[verdict];
}

/** The next step when a run could not tell. */
export function inconclusiveStep(why: Inconclusive): string {
  return INCONCLUSIVE_STEPS[why];
}

/** The next step when a gate is shut again before any verification can open it. */
export function keptShutStep(reason: GateReason): string {
  return reason === 'rate_limited'
    ? 'Find out why its source posts more often than receiver.rateLimit allows, or raise that limit.'
    : 'Find out what keeps shutting its gate, since that happens again before a verification ends.';
}
