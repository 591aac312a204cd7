import type { Config } from '@tidegate/runtime';
import type { RecordSettings } from '@tidegate/store';

/** What recording needs to know of a config. */
export function recordSettings({ policies, receiver }: Config): RecordSettings {
  const fallback = policies.default;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  const { openAfterMs, maxWaitMs } = fallback;
  return { skewBoundMs: receiver.skewBoundMs, openAfterMs, maxWaitMs };
}
