import { type AccountReader, createAccountReader } from '../topology/read-account.ts';
import type { LayerSources } from '../verify/run-layers.ts';
import { createDrain } from '../wake/create-drain.ts';
import type { WorkerContext } from '../worker-context.ts';
import { createPoller, type Poller } from './create-poller.ts';

/** Whatever the config says, API v2 is not polled faster than this. */
const SHORTEST_POLL_MS = 100;

export interface AccountWatch {
  wake(): void;
  /** Resolves when what is under way has ended; nothing starts after it. */
  stop(): Promise<void>;
}

/** Verifications and polls share one budget of calls to the API, and each list. */
export function openAccount(
  { localtonet, keyring, config }: WorkerContext,
  budget: LayerSources['budget'],
): AccountReader | null {
  if (localtonet === null) return null;
  const origin = new URL(config.localtonet?.baseUrl ?? 'http://localhost').origin;
  return createAccountReader({ client: localtonet, keyring, within: (call) => budget(origin, call) });
}

/** Polls when it is time, and holds what no poll has spoken of for too long; neither waits for the other. */
export function watchAccount(
  context: WorkerContext,
  account: AccountReader | null,
  noted: (error: unknown) => void,
): AccountWatch {
  const pollEveryMs = context.config.localtonet?.pollEveryMs;
  if (account === null || pollEveryMs === undefined) return { wake: () => {}, stop: () => Promise.resolve() };
  let timer: NodeJS.Timeout | undefined;
  const poller: Poller = createPoller({
    context,
    account,
    pollEveryMs,
    // The sweep looks every second; a poll that is due sooner sets its own alarm.
    onPolled: (delayMs) => {
      clearTimeout(timer);
      timer = setTimeout(() => polling.wake().catch(noted), Math.max(delayMs, SHORTEST_POLL_MS));
    },
  });
  const polling = createDrain(() => poller.look());
  const holding = createDrain(() => poller.holdUnknown());
  return {
    wake() {
      polling.wake().catch(noted);
      holding.wake().catch(noted);
    },
    async stop() {
      await Promise.all([polling.stop(), holding.stop()]);
      clearTimeout(timer);
    },
  };
}
