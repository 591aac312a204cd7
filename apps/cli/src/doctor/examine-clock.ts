import { readRemoteClock } from '@tidegate/outbound';
import type { Config } from '@tidegate/runtime';
import { formatDuration } from '@tidegate/runtime';
import type { StoreInspection } from '@tidegate/store';
import { broken, type Finding, ok, warning } from './finding.ts';
import { openGuard } from './open-guard.ts';

/** Due times are set by Postgres and waited for by the worker: less than this is not felt. */
const FELT_MS = 2000;
const TIMEOUT_MS = 5000;
const FIX = 'Synchronize the clocks of both machines, as with chrony or systemd-timesyncd.';

type MeasuredClock = Pick<StoreInspection, 'aheadMs' | 'withinMs'>;

/** Whether this machine, Postgres and Localtonet agree on the time; `skewBound` says how much of it dates may be off. */
export async function examineClock(store: StoreInspection | null, config: Config | null): Promise<Finding[]> {
  const skewBoundMs = config?.receiver.skewBoundMs ?? FELT_MS;
  const ofStore = store === null ? [] : [judge('Postgres', store, skewBoundMs)];
  if (config === null || config.localtonet === null) return ofStore;
  const clock = await readRemoteClock({
    url: config.localtonet.baseUrl,
    guard: openGuard(config),
    timeoutMs: TIMEOUT_MS,
    now: Date.now,
  });
  if (clock.ok) return [...ofStore, judge('Localtonet', clock, skewBoundMs)];
  const fix = 'See what `localtonet` above says; webhooks are dated by that clock, so compare it by hand.';
  return [...ofStore, warning('clock', `Localtonet does not tell its time (${clock.reason}).`, fix)];
}

/** A slow answer must not look like a wrong clock. */
function judge(whose: string, { aheadMs, withinMs }: MeasuredClock, skewBoundMs: number): Finding {
  const off = formatDuration(Math.round(Math.abs(aheadMs) / 1000) * 1000);
  const says = `The clock of ${whose} is ${off} ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine’s.`;
  const surelyMs = Math.abs(aheadMs) - withinMs;
  if (surelyMs <= FELT_MS) return ok('clock', `The clock of ${whose} and this machine’s agree.`);
  if (surelyMs <= skewBoundMs) return warning('clock', says, FIX);
  return broken('clock', `${says} Dates of webhooks are not believed beyond receiver.skewBound.`, FIX);
}
