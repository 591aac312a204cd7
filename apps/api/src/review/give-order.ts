import type { CallbackState } from '@tidegate/core';
import type { CallbackCommand, CallbackOrder } from '@tidegate/store';
import type { Context } from 'hono';
import { notFound } from '../answer/not-found.ts';
import { problem } from '../answer/problem.ts';
import type { ProblemCode } from '../answer/problem-codes.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { malformed } from '../body/read-json-body.ts';
import { readWords } from '../body/read-words.ts';
import { isPublicId } from '../query/public-id.ts';
import { carryOutOrder } from './carry-out-order.ts';

export const LONGEST_REASON = 200;

export interface GivenOrder {
  readonly command: CallbackCommand;
  /** As it was received. */
  readonly reason: string;
  readonly approval: CallbackOrder['approval'];
}

/** The id of a callback in the path of a request; null for what cannot be one. */
export function callbackOf(c: Context<ApiEnv>): string | null {
  const id = c.req.param('id') ?? '';
  return isPublicId(id, 'cb') ? id : null;
}

/** Carries out an order about a callback. @returns the answer to one that was not carried out; null when it was */
export async function giveOrder(
  context: ApiContext,
  c: Context<ApiEnv>,
  callback: string,
  { command, reason, approval }: GivenOrder,
): Promise<Response | null> {
  const words = readWords(reason, LONGEST_REASON);
  if (words === null) return malformed([{ field: 'reason', problem: 'malformed' }]);
  const outcome = await carryOutOrder(context, c, callback, { command, reason: words, approval });
  switch (outcome.kind) {
    case 'moved':
      return null;
    case 'not_found':
      return notFound();
    case 'wrong_state':
      return conflict('wrong_state', describeState(outcome.state));
    case 'payload_differs':
      return conflict('payload_differs', 'The approval is for another payload than this callback has.');
    case 'deadline_passed':
      return conflict('deadline_passed', 'Its deadline has passed, so it may not be sent any more.');
    case 'content_gone':
      return conflict('content_gone', 'What would be sent is not kept any more.');
  }
}

function describeState(state: CallbackState): string {
  return `This cannot be ordered of a callback that is ${state.replace('_', ' ')}.`;
}

function conflict(code: ProblemCode<409>, detail: string): Response {
  return problem({ status: 409, code, detail });
}
