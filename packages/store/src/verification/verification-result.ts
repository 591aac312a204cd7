import type { LayerResult, MassPolicy, Verdict } from '@tidegate/core';
import type { ClaimedVerification } from './claim-verifications.ts';

/** What a verification found, ready to be written down. */
export interface VerificationResult {
  readonly run: ClaimedVerification;
  readonly layers: readonly LayerResult[];
  readonly verdict: Verdict;
  readonly firstBroken: LayerResult['layer'] | null;
  readonly runbook: string;
}

export interface VerificationTiming {
  /** `verify.passes` of the service's policy. */
  readonly requiredPasses: number;
  readonly everyMs: number;
  readonly recheckEveryMs: number;
  /** Delay before the next try should this one count as failed; jittered by the caller. */
  readonly backoffMs: number;
  readonly openAfterMs: number;
  /** How long the gate may be held like this before an incident opens (`incidentPatience`). */
  readonly patienceMs: number;
  /** The same where no run comes to an end because the gate is shut again each time. */
  readonly keptShutPatienceMs: number;
  readonly reopenWithinMs: number;
  /** When a mass outage is one; null or absent: it goes on until the gates of all its services are open, and no longer. */
  readonly mass?: MassPolicy | null;
  /** How long a registered receiver may be silent: then no run opens a gate. */
  readonly silentAfterMs: number;
  /** Fresh id, used if a lasting failure opens an incident. */
  readonly incidentId: string;
}
