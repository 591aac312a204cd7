import type { AddressGuard } from '../guard/address-guard.ts';
import { createExchanger } from '../http/exchange.ts';

/** `reason` is a named code: of the connection, or `status`. */
export type PingOutcome =
  | { readonly ok: true; readonly status: number; readonly latencyMs: number }
  | { readonly ok: false; readonly reason: string; readonly status: number | null; readonly latencyMs: number };

export interface Pinger {
  /** Puts one GET; 2xx is heard. The URL is a secret: no outcome repeats it. Never rejects, repeats nothing. */
  ping(url: string, timeoutMs: number): Promise<PingOutcome>;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4096;

/** Makes the client of the dead-man's switch. */
export function createPinger({ guard }: { readonly guard: AddressGuard }): Pinger {
  const exchanger = createExchanger(guard);
  return {
    async ping(url, timeoutMs) {
      const answer = await exchanger.exchange({
        url,
        method: 'GET',
        headers: { 'user-agent': 'tidegate', 'cache-control': 'no-cache' },
        body: null,
        maxBodyBytes: MAX_BODY_BYTES,
        timeoutMs,
      });
      const { latencyMs } = answer;
      if (answer.kind !== 'answered') return { ok: false, reason: answer.reason, status: null, latencyMs };
      const { status } = answer;
      return status >= 200 && status <= 299
        ? { ok: true, status, latencyMs }
        : { ok: false, reason: 'status', status, latencyMs };
    },
    close: exchanger.close,
  };
}
