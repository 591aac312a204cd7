/** Polls that a subject may go without a word before it is unknown: 3; a re-check has to come before. */
const POLLS_BETWEEN = 2;

/**
 * How often (ms) an open gate is verified again: as the policy says, but where API v2 is polled at least once in two polls.
 * A pass confirms a gate's subjects, so that one which the API does not speak of does not shut its gate as unknown again
 * and again.
 * @param pollEveryMs null where nothing is polled
 */
export function recheckEvery(recheckEveryMs: number, pollEveryMs: number | null): number {
  return pollEveryMs === null ? recheckEveryMs : Math.min(recheckEveryMs, POLLS_BETWEEN * pollEveryMs);
}
