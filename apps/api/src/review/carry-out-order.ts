import type { SafeName } from '@tidegate/core';
import type { CallbackCommand, CallbackOrder, OrderedCallback } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import type { Context } from 'hono';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { actorOf, logHead } from '../hand/acting-key.ts';

export interface SafeOrder {
  readonly command: CallbackCommand;
  readonly reason: SafeName;
  readonly approval: CallbackOrder['approval'];
}

/** Carries out an order about a callback under the name of the key, logs it, and wakes whoever sends. */
export async function carryOutOrder(
  { store, keyring, log, wakeRelease }: ApiContext,
  c: Context<ApiEnv>,
  callback: string,
  given: SafeOrder,
): Promise<OrderedCallback> {
  const order = { callback, ...given, ...actorOf(c), services: c.get('services') };
  const { outcome, head } = await store.orderCallback(order, auditSigner(keyring));
  logHead(log, head);
  if (outcome.kind === 'moved') {
    log.info('callback.ordered', { callback, service: outcome.service, state: outcome.state, command: given.command });
    // Also what is over may have been in the way of another one of its ordering key.
    wakeRelease();
  }
  return outcome;
}
