import { serveApp } from '../listener/serve-app.ts';
import { startListener } from '../listener/start-listener.ts';
import { createAgentApp } from './agent-app.ts';
import type { AgentRequest, AgentState, Readiness, WhoamiMode } from './agent-state.ts';

export interface AgentOptions {
  /** The least-privilege credential `/whoami` asks for; invented. */
  readonly probeToken: string;
  /** 0 or absent = any. */
  readonly port?: number;
}

/** The long-running AI agent as seen from outside: a local HTTP server with health pages. */
export interface Agent {
  readonly port: number;
  readonly url: string;
  readonly state: 'running' | 'hanging' | 'stopped';
  /** Every request in order of arrival; never holds a header. */
  readonly requests: readonly AgentRequest[];
  readonly peakInFlight: number;
  /** The process is gone: connections are reset and new ones refused. */
  stop(): Promise<void>;
  /** Runs again, on the same port, from `stopped` or `hanging`; connections that hung are dropped as by a restart. */
  start(): Promise<void>;
  /** Connections are accepted and requests read, but nothing is answered until `start()`. */
  hang(): void;
  /** What `/readyz` answers; a bare word stands for its usual status code (`unready` = 503, else 200). */
  setReadiness(readiness: Readiness | Readiness['status']): void;
  /** What `/whoami` answers: normally, 401 for a valid token too, 500, or normally after `slowMs` (default 10 s). */
  setMode(mode: WhoamiMode, options?: { slowMs?: number }): void;
  close(): Promise<void>;
}

/** Starts an agent on 127.0.0.1. Throws `SimulatorError` `port_in_use` when the wanted port is taken. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const agent: AgentState = {
    probeToken: options.probeToken,
    readiness: { status: 'ok' },
    mode: 'ok',
    slowMs: 10_000,
    requests: [],
  };
  let hanging = false;
  const answer = serveApp(createAgentApp(agent));
  const listener = await startListener((request, response) => {
    const path = new URL(request.url ?? '/', 'http://agent').pathname;
    const authorized = request.headers.authorization === `Bearer ${agent.probeToken}`;
    agent.requests.push({ atMs: Date.now(), method: request.method ?? 'GET', path, authorized, answered: !hanging });
    return hanging ? undefined : answer(request, response);
  }, options.port);

  return {
    port: listener.port,
    url: listener.url,
    get state() {
      if (!listener.listening) return 'stopped';
      return hanging ? 'hanging' : 'running';
    },
    requests: agent.requests,
    get peakInFlight() {
      return listener.peakInFlight;
    },
    stop: listener.stop,
    start: async () => {
      if (hanging) listener.dropConnections();
      hanging = false;
      await listener.start();
    },
    hang: () => {
      hanging = true;
    },
    setReadiness: (readiness) => {
      agent.readiness = typeof readiness === 'string' ? { status: readiness } : readiness;
    },
    setMode: (mode, { slowMs = 10_000 } = {}) => {
      agent.mode = mode;
      agent.slowMs = slowMs;
    },
    close: listener.stop,
  };
}
