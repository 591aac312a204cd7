import type { CallbackSender } from '@tidegate/outbound';
import type { Traces } from './create-traces.ts';

/** The same sender, whose attempts are told; of a request its callback's id and of an answer how far it got. */
export function traceCallbacks(sender: CallbackSender, traces: Traces): CallbackSender {
  return {
    async send(request) {
      const startedAtMs = Date.now();
      const outcome = await sender.send(request);
      traces.attempted(request.webhookId, outcome, startedAtMs);
      return outcome;
    },
    close: () => sender.close(),
  };
}
