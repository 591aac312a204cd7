import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallbackDetail, Gate } from '@tidegate/client';
import { ATTEMPT_LEASE } from '@tidegate/core';
import { startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSelfSigned } from '../../packages/outbound/test/self-signed.ts';
import { handOver } from '../support/hand-over.ts';
import { type LoneApp, runAppAlone } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { type HeldTls, startHeldTls } from '../support/start-held-tls.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

/** Longer than a few leases, and than Postgres lets a frozen transaction stand. */
const PATIENCE_MS = 90_000;
const ANSWER_AFTER_MS = 3000;
const LONGER_THAN_A_LEASE_MS = ATTEMPT_LEASE.leaseMs + 1500;
const LOOPBACK = { allowPrivate: ['127.0.0.1/32', '::1/128'] };

let world: World;
let stack: Stack;
let tls: HeldTls;
let second: LoneApp;
let folder: string;
let env: { readonly NODE_EXTRA_CA_CERTS: string };

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300, deduplicates: true });
  const certificate = makeSelfSigned('localhost');
  tls = await startHeldTls(certificate);
  folder = await makeTempFolder('trusted');
  env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  await writeFile(env.NODE_EXTRA_CA_CERTS, certificate.cert);
  stack = await startStack({
    config: stackConfig(world, { sections: { outbound: { probes: LOOPBACK, callbacks: LOOPBACK } } }),
    env,
  });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  await until(
    'the gate opens',
    () => stack.get<Gate>(`/v1/gates/${SERVICE}`),
    ({ decision }) => decision === 'allowed',
  );
});
afterAll(async () => {
  await second?.stop();
  await stack?.close();
  await tls?.close();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

const detailOf = (id: string) => stack.get<CallbackDetail>(`/v1/callbacks/${id}`);
const requestsOf = (key: string) => world.callbackReceiver.requests.filter((request) => request.idempotencyKey === key);

it(verifies('I12', 'a request that outlasts its lease is kept by its living worker, and sent once'), async () => {
  world.callbackReceiver.setBehaviourFor('/slow', { kind: 'commit_then_answer_late', afterMs: LONGER_THAN_A_LEASE_MS });
  const url = `${world.callbackReceiver.url}/slow`;
  const { id } = await handOver(stack, { url, key: 'slow', repeat: 'forbidden' });
  const { tries, state } = await until(
    'it has ended',
    () => detailOf(id),
    (detail) => !['queued', 'sending'].includes(detail.state),
    PATIENCE_MS,
  );
  expect([state, tries.length, requestsOf('slow').length]).toEqual(['delivered', 1, 1]);
});

it(
  verifies('I7', 'I12', 'a worker that wakes after its lease writes no first byte and records no outcome'),
  async () => {
    const answersLate = { kind: 'commit_then_answer_late', afterMs: ANSWER_AFTER_MS } as const;
    world.callbackReceiver.setBehaviourFor('/late', answersLate);
    const url = `${world.callbackReceiver.url}/late`;
    const repeated = await handOver(stack, { url, key: 'repeated', repeat: 'deduplicated' });
    const unknown = await handOver(stack, { url, key: 'unknown', repeat: 'forbidden' });
    const unsent = await handOver(stack, { url: `${tls.url}/held`, key: 'unsent', repeat: 'deduplicated' });
    await until(
      'two requests and one connection',
      () => [requestsOf('repeated').length + requestsOf('unknown').length, tls.connections()],
      ([requests, connections]) => requests === 2 && connections === 1,
    );

    const frozen = stack.ready().pids.worker ?? 0;
    process.kill(frozen, 'SIGSTOP');
    try {
      second = await runAppAlone(stack, 'worker', env);
      world.callbackReceiver.setBehaviourFor('/late', null);
      const expired = async () =>
        (await Promise.all([repeated, unknown, unsent].map(({ id }) => detailOf(id)))).map(
          ({ tries }) => tries[0]?.reason,
        );
      await until(
        'all three leases are over',
        expired,
        (reasons) => reasons.every((reason) => reason === 'lease_expired'),
        PATIENCE_MS,
      );
      await until('the second worker stands connected', tls.connections, (count) => count === 2, PATIENCE_MS);
      tls.release();
      await until(
        'the repeats are delivered',
        () => Promise.all([repeated, unsent].map(({ id }) => detailOf(id))),
        (all) => all.every(({ state }) => state === 'delivered'),
        PATIENCE_MS,
      );
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
    const fenced = () => stack.events('callback.fenced').map(({ callback }) => callback);
    await until('it is refused all three', fenced, (ids) => ids.length === 3, PATIENCE_MS);
    expect(new Set(fenced())).toEqual(new Set([repeated.id, unknown.id, unsent.id]));
    await until('its connection is closed', tls.open, (open) => open === 0);

    expect(tls.requests).toEqual(['unsent']);
    expect([requestsOf('repeated').length, requestsOf('unknown').length]).toEqual([2, 1]);
    const ended = await Promise.all([repeated, unknown, unsent].map(({ id }) => detailOf(id)));
    expect(ended.map(({ state, tries }) => [state, ...tries.map(({ phase, reason }) => `${phase} ${reason}`)])).toEqual(
      [
        ['delivered', 'maybe_received lease_expired', 'answered answered'],
        ['needs_review', 'maybe_received lease_expired'],
        ['delivered', 'maybe_received lease_expired', 'answered answered'],
      ],
    );
  },
);
