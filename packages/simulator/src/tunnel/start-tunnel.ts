import type { IncomingMessage, ServerResponse } from 'node:http';
import { startListener } from '../listener/start-listener.ts';
import { createLifetime } from '../wait-ms.ts';
import { CLIENT_GONE_PAGE, INTERSTITIAL_PAGE, sendEdgePage } from './edge-pages.ts';
import { type ForwardOutcome, forwardRequest } from './forward-request.ts';

export interface TunnelOptions {
  /** Where the agent listens on 127.0.0.1; it need not be up. */
  readonly agentPort: number;
  /** The edge's own port; 0 or absent = any. */
  readonly port?: number;
  /** How long the edge takes to say that the app behind the tunnel is stopped; 30 s as seen in the wild. */
  readonly stoppedAppDelayMs?: number;
  /** How long the app may stay silent before the edge says the same of an app that hangs; 30 s. */
  readonly appTimeoutMs?: number;
}

export interface TunnelRequest {
  readonly atMs: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Null until the answer is decided. */
  readonly outcome: 'interstitial' | ForwardOutcome | null;
}

/** A public address that leads to the agent while the tunnel's client is connected. */
export interface Tunnel {
  readonly port: number;
  /** The public URL of the tunnel, no trailing slash. */
  readonly url: string;
  readonly isUp: boolean;
  readonly requests: readonly TunnelRequest[];
  /** The client is gone: from now on, and for requests under way, the edge answers 502. */
  cut(): void;
  restore(): void;
  setStoppedAppDelay(delayMs: number): void;
  close(): Promise<void>;
}

/**
 * Starts the HTTP edge of one tunnel on 127.0.0.1 (LOCALTONET.md and the pitfalls of STYLE.md). It answers, in this order:
 * 502 when the client is gone, 200 with its own page without the header `localtonet-skip-warning`, 500 when the app
 * does not answer, else what the agent said. Throws `SimulatorError` `port_in_use`.
 */
export async function startTunnel(options: TunnelOptions): Promise<Tunnel> {
  const requests: { -readonly [Key in keyof TunnelRequest]: TunnelRequest[Key] }[] = [];
  const app = {
    port: options.agentPort,
    stoppedDelayMs: options.stoppedAppDelayMs ?? 30_000,
    timeoutMs: options.appTimeoutMs ?? 30_000,
  };
  let client: AbortController | null = createLifetime();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<TunnelRequest['outcome']> => {
    if (client === null) {
      sendEdgePage(response, 502, CLIENT_GONE_PAGE);
      return 'client_gone';
    }
    if (request.headers['localtonet-skip-warning'] === undefined) {
      sendEdgePage(response, 200, INTERSTITIAL_PAGE);
      return 'interstitial';
    }
    return forwardRequest(request, response, { app, clientGone: client.signal });
  };
  const listener = await startListener(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://edge').pathname;
    const entry: (typeof requests)[number] = { atMs: Date.now(), method: request.method ?? 'GET', path, outcome: null };
    requests.push(entry);
    entry.outcome = await answer(request, response);
    request.resume();
  }, options.port);

  return {
    port: listener.port,
    url: listener.url,
    get isUp() {
      return client !== null;
    },
    requests,
    cut: () => {
      client?.abort();
      client = null;
    },
    restore: () => {
      client ??= createLifetime();
    },
    setStoppedAppDelay: (delayMs) => {
      app.stoppedDelayMs = delayMs;
    },
    close: listener.stop,
  };
}
