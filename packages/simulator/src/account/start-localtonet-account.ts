import { serveApp } from '../listener/serve-app.ts';
import { startListener } from '../listener/start-listener.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { type AccountApi, createAccountApi } from './account-api.ts';
import { AccountState } from './account-state.ts';
import { AnswerFaults } from './answer-faults.ts';
import { LocaltonetAccount } from './localtonet-account.ts';
import { RequestLog } from './request-log.ts';
import { WebhookSender } from './webhook-sender.ts';

export interface LocaltonetAccountOptions {
  /** What callers of the API must send as bearer; invented. */
  readonly apiKey: string;
  /** Milliseconds before each API answer; default 0. */
  readonly latencyMs?: number;
  /** 0 or absent = any. */
  readonly port?: number;
  /** Decides burst orders and the last digits of dates; default 1. */
  readonly seed?: number | string;
  /** Clock of ActionDate in epoch milliseconds; default the machine's. */
  readonly nowMs?: () => number;
  /** Keeps paths as received, tokens and all, in `requests`; default false. */
  readonly keepRawPaths?: boolean;
}

/** Starts an account on 127.0.0.1. Throws `SimulatorError` `port_in_use` when the wanted port is taken. */
export async function startLocaltonetAccount(options: LocaltonetAccountOptions): Promise<LocaltonetAccount> {
  const sender = new WebhookSender(createSeededRandom(options.seed ?? 1), options.nowMs ?? Date.now);
  const api: AccountApi = {
    apiKey: options.apiKey,
    state: new AccountState(),
    faults: new AnswerFaults(),
    shape: { wrapListsIn: null, idsAsStrings: false, missingFields: [] },
    log: new RequestLog(),
    keepRawPaths: options.keepRawPaths ?? false,
    latencyMs: options.latencyMs ?? 0,
    onChanges: (changes) => void sender.send(changes),
  };
  const listener = await startListener(serveApp(createAccountApi(api)), options.port);
  return new LocaltonetAccount({ api, sender, listener });
}
