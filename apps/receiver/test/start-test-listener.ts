import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { AppError } from '@tidegate/core';
import { createKeyring, createSealer, loadKeyring } from '@tidegate/vault';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { listen } from '../src/listen.ts';
import { type AddressRules, createAddressJudge } from '../src/receive/judge-address.ts';
import type { RateLimit } from '../src/receive/rate-limit.ts';
import type { IntakeItem } from '../src/receive/receive-delivery.ts';
import { createWebhookApp, type RejectReason } from '../src/receive/webhook-app.ts';
import { createWebhookServer } from '../src/receive/webhook-server.ts';
import type { DeliveryOutcome } from '../src/record/commit-deliveries.ts';
import type { SourceTally } from '../src/source/source-tally.ts';
import { openConnection, type RawAnswer } from './open-connection.ts';

/** An invented path secret. */
export const SECRET = 'k7wq2m5x9d3v8h4t6n1r';
export const HOOK = `/hooks/localtonet/${SECRET}`;

export interface TestListener {
  readonly port: number;
  /** What reached the commit, in order. */
  readonly submitted: IntakeItem[];
  readonly rejected: { readonly status: number; readonly reason: RejectReason; readonly source: string | null }[];
  /** What was counted, in order. */
  readonly tallied: Parameters<SourceTally['note']>[];
  /** What the next commits do, instead of recording. */
  readonly next: (() => Promise<DeliveryOutcome>)[];
  /** Codes of the bodies that were kept as not understood, in order; `recheck` for one that was looked into and not kept. */
  readonly quarantined: string[];
  /** Why either fails, while it does. */
  quarantineFailure: AppError | null;
  /** Sends a request over a connection of its own and gives the answer. */
  send(text: string | Buffer): Promise<RawAnswer>;
  close(): Promise<void>;
}

export interface ListenerRules {
  readonly rules?: AddressRules;
  readonly limit?: RateLimit;
}

/** The public listener as the app runs it, over real sockets; commits are kept in memory. */
export async function startTestListener({ rules, limit }: ListenerRules = {}): Promise<TestListener> {
  const folder = await makeTempFolder('listener');
  await createKeyring(`${folder}/keyring`);
  const keyring = await loadKeyring(`${folder}/keyring`);
  const submitted: IntakeItem[] = [];
  const rejected: TestListener['rejected'] = [];
  const next: TestListener['next'] = [];
  const quarantined: string[] = [];
  const tallied: TestListener['tallied'] = [];
  const seen = new Set<string>();
  const record = async (item: IntakeItem): Promise<DeliveryOutcome> => {
    const key = item.delivery.observationKey;
    const repeat = seen.has(key);
    seen.add(key);
    return { kind: 'recorded', repeat };
  };
  const app = createWebhookApp({
    intake: {
      keyring,
      sealer: createSealer({ keyring, saveDataKey: async () => undefined, now: Date.now }),
      committer: {
        submit(item) {
          submitted.push(item);
          return next.shift()?.() ?? record(item);
        },
        drained: () => Promise.resolve(),
      },
      quarantine: {
        async keep(_source, _body, { field, problem }) {
          if (listener.quarantineFailure !== null) throw listener.quarantineFailure;
          quarantined.push(`${field}:${problem}`);
        },
        async recheck() {
          if (listener.quarantineFailure !== null) throw listener.quarantineFailure;
          quarantined.push('recheck');
        },
      },
      now: Date.now,
    },
    tally: { note: (...noted) => void tallied.push(noted) },
    sources: {
      find: (secret) =>
        secret === SECRET
          ? { id: 1, name: 'home-lab', group: 'home-lab', timeZone: 'UTC', lookupHash: Buffer.alloc(32) }
          : null,
      refresh: () => Promise.resolve(),
    },
    limit: limit ?? null,
    ...(rules && { mayPost: createAddressJudge(rules) }),
    onReject: (status, reason, source) => void rejected.push({ status, reason, source }),
  });
  const server = createWebhookServer(app);
  await listen(server, '127.0.0.1', 0);
  const { port } = server.address() as AddressInfo;
  const listener: TestListener = {
    port,
    submitted,
    rejected,
    tallied,
    next,
    quarantined,
    quarantineFailure: null,
    async send(text) {
      const connection = await openConnection(port);
      connection.send(text);
      return connection.answer().finally(connection.abort);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return listener;
}

/** A webhook body with other values for some fields; undefined leaves a field out. */
export function webhook(fields: Readonly<Record<string, unknown>> = {}): string {
  const usual = { Id: '298487', ActionDate: '2026-11-30T01:02:03.1234567Z', Type: 'Tunnel', Status: 'Disconnected' };
  return JSON.stringify({ ...usual, ...fields });
}
