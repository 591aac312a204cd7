import { newestUnlinkedDevice } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';
import { refreshTopology } from './refresh-topology.ts';

/** An API that is down is asked again at this pace until it has answered once. */
const RETRY_MS = 10_000;

/** Keeps names and edges current: at start, and when a token reports that no device is linked to. */
export interface TopologyWatch {
  /** Looks whether a refresh is due; call it often, it costs one indexed read. */
  look(): Promise<void>;
}

export function watchTopology(context: WorkerContext): TopologyWatch {
  let answered = false;
  let newestAsked: number | null = null;
  let notBeforeMs = 0;
  return {
    async look() {
      if (context.localtonet === null) return;
      const newest = await newestUnlinkedDevice(context.sql);
      const unknown = newest !== null && newest !== newestAsked;
      if ((answered && !unknown) || performance.now() < notBeforeMs) return;
      if (await refreshTopology(context)) {
        answered = true;
        newestAsked = newest;
      } else {
        notBeforeMs = performance.now() + RETRY_MS;
      }
    },
  };
}
