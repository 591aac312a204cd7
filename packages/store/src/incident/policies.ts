import type { MassPolicy, Policy } from '@tidegate/core';

/** What the owner asked of correlation. */
export interface Policies {
  readonly byName: Readonly<Record<string, Policy>>;
  readonly fallback: Policy;
  /** Null: many devices lost at once stay as many outages. */
  readonly mass: MassPolicy | null;
  /** Whether API v2 can be asked: else an incident that no service has part in waits for a person. */
  readonly polls: boolean;
}
