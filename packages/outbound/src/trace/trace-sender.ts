import type { AddressGuard } from '../guard/address-guard.ts';
import { createExchanger } from '../http/exchange.ts';
import type { HeaderList } from '../http/headers.ts';
import type { TracedSpan } from './traced-span.ts';

/** What became of a batch. `reason` is a named code: of the connection, or `status`. */
export type TraceOutcome =
  | { readonly sent: number }
  | { readonly dropped: number; readonly reason: string; readonly status: number | null };

export interface TraceSenderOptions {
  /** Of the OTLP collector, path included, such as `http://127.0.0.1:4318/v1/traces`; a secret as far as it is told. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly guard: AddressGuard;
  readonly onOutcome: (outcome: TraceOutcome) => void;
  /** How long spans wait for company; five seconds unless given. */
  readonly everyMs?: number;
}

export interface TraceSender {
  /** Takes spans to be sent soon; what does not fit or is not taken is dropped, and nobody waits for it. */
  send(spans: readonly TracedSpan[]): void;
  /** Sends what waits, within a few seconds, and frees everything. */
  close(): Promise<void>;
}

const EVERY_MS = 5000;
const TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Makes the sender of traces. OpenTelemetry is loaded with it, by nobody else and no sooner. */
export function createTraceSender(options: TraceSenderOptions): TraceSender {
  const { url, guard, onOutcome, everyMs = EVERY_MS } = options;
  const exchanger = createExchanger(guard);
  const post = async (body: Uint8Array, count: number): Promise<void> => {
    const answer = await exchanger.exchange({
      url,
      method: 'POST',
      headers: { 'user-agent': 'tidegate', ...options.headers, 'content-type': 'application/json' },
      body: Buffer.from(body),
      maxBodyBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.kind !== 'answered') onOutcome({ dropped: count, reason: answer.reason, status: null });
    else if (answer.status < 200 || answer.status > 299)
      onOutcome({ dropped: count, reason: 'status', status: answer.status });
    else onOutcome({ sent: count });
  };
  const loading = import('./otlp-spans.ts').then(({ createOtlpSpans }) => createOtlpSpans(post, everyMs));
  return {
    send: (spans) => void loading.then((otlp) => otlp.add(spans)),
    async close() {
      await (await loading).close();
      await exchanger.close();
    },
  };
}
