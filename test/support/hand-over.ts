import type { AcceptedCallback } from '@tidegate/client';
import type { HttpAnswer } from './call-http.ts';
import type { Stack } from './run-stack.ts';
import { SERVICE } from './stack-config.ts';
import { until } from './until.ts';

export interface HandedOver {
  readonly url: string;
  readonly key: string;
  readonly repeat: 'deduplicated' | 'forbidden';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `research-agent` unless given. */
  readonly service?: string;
  readonly deadline?: string;
  readonly orderingKey?: string;
}

/** Hands a callback over to a stack, once. */
export function postCallback(stack: Stack, callback: HandedOver): Promise<HttpAnswer> {
  const { key, ...request } = callback;
  return stack.call('/v1/callbacks', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ service: SERVICE, method: 'POST', safety: 'unsafe', ...request }),
  });
}

/** As an agent does that does not hear the answer: again under the same key, until it is told 201. */
export async function handOver(stack: Stack, callback: HandedOver): Promise<AcceptedCallback> {
  const answer = await until(
    'the callback is taken over',
    () => postCallback(stack, callback),
    ({ status }) => status === 201,
  );
  return answer.json<AcceptedCallback>();
}
