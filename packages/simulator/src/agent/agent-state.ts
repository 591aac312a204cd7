/** `/readyz` answers this as JSON; `httpStatus` overrides the usual code (503 when `unready`, else 200). */
export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unready';
  readonly httpStatus?: number;
  /** Named parts of the agent, for policies that call some of them essential. */
  readonly dependencies?: Readonly<Record<string, 'ok' | 'degraded' | 'down'>>;
}

export type WhoamiMode = 'ok' | 401 | 500 | 'slow';

export interface AgentRequest {
  readonly atMs: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Whether the request carried the right bearer token. */
  readonly authorized: boolean;
  /** False when the agent was hanging. */
  readonly answered: boolean;
}

/** What one running agent is set to do. */
export interface AgentState {
  readonly probeToken: string;
  readiness: Readiness;
  mode: WhoamiMode;
  slowMs: number;
  readonly requests: AgentRequest[];
}
