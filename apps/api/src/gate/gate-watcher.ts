import type { Gate } from '@tidegate/client';
import type { GateReader } from './gate-reader.ts';
import { type GateStanding, sameStanding } from './gate-tag.ts';

/** Why a wait ended. `expired` and `stopped` leave it to the caller to read the gate once more. */
type WaitEnd =
  | { readonly kind: 'changed'; readonly gate: Gate }
  | { readonly kind: 'gone' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'disconnected' };

export interface GateWatcher {
  /** Waits until the gate differs from `known`, at most `waitMs`, or until the client is gone. Rejects as a read does. */
  wait(service: string, known: GateStanding, options: { waitMs: number; client: AbortSignal }): Promise<WaitEnd>;
  /** Ends every wait at once, and every later one as it begins. */
  stop(): void;
}

interface Waiter {
  readonly service: string;
  readonly known: GateStanding;
  end(result: WaitEnd): void;
  fail(error: unknown): void;
}

/** Looks at the gates that somebody waits for, all in one read, every `pollEveryMs` while anybody does. */
export function createGateWatcher(gates: GateReader, { pollEveryMs }: { pollEveryMs: number }): GateWatcher {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function plan(): void {
    if (timer === null && waiters.size > 0) timer = setTimeout(poll, pollEveryMs);
  }

  async function poll(): Promise<void> {
    // Who joins during the read waits for the next one: this read may have begun before their request did.
    const asking = [...waiters];
    try {
      const read = await gates.read(asking.map((waiter) => waiter.service));
      for (const waiter of asking) compare(waiter, read.get(waiter.service));
    } catch (error) {
      for (const waiter of asking) waiter.fail(error);
    }
    timer = null;
    plan();
  }

  return {
    wait(service, known, { waitMs, client }) {
      if (stopped) return Promise.resolve({ kind: 'stopped' });
      if (client.aborted) return Promise.resolve({ kind: 'disconnected' });
      return new Promise((resolve, reject) => {
        const onDisconnect = () => waiter.end({ kind: 'disconnected' });
        const expiry = setTimeout(() => waiter.end({ kind: 'expired' }), waitMs);
        const leave = () => {
          clearTimeout(expiry);
          client.removeEventListener('abort', onDisconnect);
          waiters.delete(waiter);
        };
        const waiter: Waiter = {
          service,
          known,
          end(result) {
            leave();
            resolve(result);
          },
          fail(error) {
            leave();
            reject(error);
          },
        };
        client.addEventListener('abort', onDisconnect, { once: true });
        waiters.add(waiter);
        plan();
      });
    },
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      for (const waiter of [...waiters]) waiter.end({ kind: 'stopped' });
    },
  };
}

function compare(waiter: Waiter, gate: Gate | undefined): void {
  if (gate === undefined) waiter.end({ kind: 'gone' });
  else if (!sameStanding(gate, waiter.known)) waiter.end({ kind: 'changed', gate });
}
