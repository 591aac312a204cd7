import { setTimeout as delay } from 'node:timers/promises';

interface GateAnswer {
  readonly decision: 'allowed' | 'held';
  readonly state: string;
  readonly reason: string;
  readonly generation: number;
  readonly incident: string | null;
}

export interface IncidentAnswer {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly summary: string;
  readonly firstBroken: string | null;
  readonly timeline: readonly { readonly at: string; readonly event: string; readonly why: string }[];
  readonly verifications: readonly {
    readonly id: string;
    readonly startedAt: string;
    readonly verdict: string;
    readonly layers: readonly {
      readonly layer: string;
      readonly outcome: string;
      readonly latencyMs: number | null;
      readonly detail: string;
    }[];
  }[];
}

interface CallbackAnswer {
  readonly id: string;
  readonly state: string;
}

/** The few calls the demo makes to its own API on loopback, as an agent host and an on-call person would. */
export interface DemoApi {
  gate(service: string): Promise<GateAnswer>;
  openIncident(): Promise<IncidentAnswer | null>;
  incident(id: string): Promise<IncidentAnswer>;
  handOver(callback: Readonly<Record<string, unknown>>, idempotencyKey: string): Promise<CallbackAnswer>;
  callback(id: string): Promise<CallbackAnswer>;
}

export function createDemoApi(apiUrl: string, key: string): DemoApi {
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(`${apiUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
    if (!response.ok) throw new Error(`the API answered ${response.status}`);
    return (await response.json()) as T;
  };
  const incident = (id: string) => call<IncidentAnswer>(`/v1/incidents/${id}`);
  return {
    gate: (service) => call(`/v1/gates/${service}`),
    incident,
    async openIncident() {
      const { items } = await call<{ items: readonly { id: string }[] }>('/v1/incidents?state=open');
      return items[0] === undefined ? null : incident(items[0].id);
    },
    handOver: (callback, idempotencyKey) =>
      call('/v1/callbacks', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(callback),
      }),
    callback: (id) => call(`/v1/callbacks/${id}`),
  };
}

/** Asks again and again until the answer is the wanted one. */
export async function until<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  timeoutMs: number,
  what: string,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`${what} did not happen in ${timeoutMs / 1000} s`);
    await delay(100);
  }
}
