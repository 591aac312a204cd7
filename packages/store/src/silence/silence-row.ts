import type { SilenceScope } from '@tidegate/core';

/** A silence as it is shown. */
export interface SilenceRow {
  readonly id: string;
  readonly scope: SilenceScope;
  readonly target: string | null;
  /** What Localtonet calls the subject that a group is named by; null where nothing is known, and for the other scopes. */
  readonly targetName: string | null;
  readonly actor: string;
  readonly reason: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When somebody ended it before its time. */
  readonly endedAt: Date | null;
  readonly live: boolean;
}
