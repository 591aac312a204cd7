import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostOutcome, postWebhook, type WebhookEvent } from '@tidegate/simulator';

const PAUSE_AFTER_FAILURE_MS = 25;

/** A load that goes on until it is stopped, and what was promised to it. */
export interface Load {
  /** The observation ids of all 202s. */
  readonly accepted: readonly string[];
  /** Answers by status, and posts without an answer by their code. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Takes no further event and waits for those under way. */
  stop(): Promise<void>;
}

/**
 * Posts events one after the other over `connections` that are kept; one that fails is not sent again, as Localtonet might do.
 * @param onOutcome told what became of each event, as in `outcomes`
 */
export function keepPosting(
  url: string,
  events: Iterator<WebhookEvent>,
  connections: number,
  onOutcome: (event: WebhookEvent, outcome: string) => void = () => undefined,
): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const accepted: string[] = [];
  const outcomes: Record<string, number> = {};
  let stopping = false;

  async function work(): Promise<void> {
    while (!stopping) {
      const next = events.next();
      if (next.done) return;
      const outcome = await postWebhook(url, next.value, { agent });
      const name = describe(outcome);
      outcomes[name] = (outcomes[name] ?? 0) + 1;
      onOutcome(next.value, name);
      if (outcome.outcome === 'answered' && outcome.status === 202) {
        accepted.push((JSON.parse(outcome.body) as { observation: string }).observation);
      } else {
        await delay(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  const ended = Promise.all(Array.from({ length: connections }, work));
  return {
    accepted,
    outcomes,
    async stop() {
      stopping = true;
      await ended;
      agent.destroy();
    },
  };
}

function describe(outcome: PostOutcome): string {
  return outcome.outcome === 'answered' ? String(outcome.status) : outcome.failure;
}
