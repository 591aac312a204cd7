import type { ServerResponse } from 'node:http';
import { formatRetryAfter } from '../format-retry-after.ts';
import { waitMs, waitToAnswer } from '../wait-ms.ts';
import type { Behaviour } from './behaviour.ts';

export interface Exchange {
  readonly response: ServerResponse;
  /** Lets the operation take effect. */
  readonly commit: () => void;
  /** Fires when the receiver closes. */
  readonly closing: AbortSignal;
}

/** Does to one fully read request what `behaviour` says; resolves when nothing more will happen to it. */
export async function showBehaviour(
  behaviour: Exclude<Behaviour, { kind: 'reset_before_reading' }>,
  exchange: Exchange,
): Promise<void> {
  const { response, commit, closing } = exchange;
  switch (behaviour.kind) {
    case 'answer': {
      const status = behaviour.status ?? 200;
      if (!(await waitToAnswer(behaviour.delayMs ?? 0, response))) return;
      if (behaviour.commit ?? (status >= 200 && status < 300)) commit();
      return answer(response, status, { headers: behaviour.headers ?? {}, body: behaviour.body ?? '{"ok":true}' });
    }
    case 'commit_then_drop':
      commit();
      response.destroy();
      return;
    case 'commit_then_answer_late':
      commit();
      if (await waitToAnswer(behaviour.afterMs, response)) answer(response, behaviour.status ?? 200);
      return;
    case 'commit_then_fail':
      commit();
      return answer(response, behaviour.status ?? 500);
    case 'commit_late':
      if (!(await waitMs(behaviour.afterMs, closing))) return;
      commit();
      return answer(response, behaviour.status ?? 200);
    case 'retry_after':
      return answer(response, behaviour.status ?? 429, {
        headers: { 'retry-after': formatRetryAfter(behaviour.retryAfter) },
      });
    case 'hang':
      return;
  }
}

/** Sends an answer; does nothing when the sender is gone. */
export function answer(
  response: ServerResponse,
  status: number,
  { headers = {}, body = '' }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): void {
  if (response.destroyed) return;
  const type = body === '' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(body);
}
