/** What doctor looks at, in the order in which it is shown. */
export type CheckName =
  | 'config'
  | 'postgres'
  | 'redis'
  | 'keys'
  | 'clock'
  | 'ports'
  | 'localtonet'
  | 'spool'
  | 'self_dependency'
  | 'receivers';

/** One thing that was looked at. Its sentences name files, ports and settings, and never repeat a secret. */
export interface Finding {
  readonly check: CheckName;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly says: string;
  /** What to do, in a sentence; null where nothing is to be done. */
  readonly fix: string | null;
}

export function ok(check: CheckName, says: string): Finding {
  return { check, state: 'ok', says, fix: null };
}

/** It works, and somebody should know. */
export function warning(check: CheckName, says: string, fix: string): Finding {
  return { check, state: 'warning', says, fix };
}

/** It does not work, or a promise of Tidegate does not hold. */
export function broken(check: CheckName, says: string, fix: string): Finding {
  return { check, state: 'broken', says, fix };
}
