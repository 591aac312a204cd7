import { userInfo } from 'node:os';
import { type SafeName, sanitizeName } from '@tidegate/core';

/** Who is at this terminal, as the audit trail names them unless `--actor` says otherwise: the user of the machine. */
export function currentActor(given: SafeName | undefined): SafeName {
  return given ?? sanitizeName(`cli:${userName()}`);
}

/** A user id without a name, as in many containers, has none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
