import { nextPoll } from '@tidegate/core';
import { type ClaimedPoll, claimPoll, finishPoll, holdUnknown, tellOfPolls, verifyUnserved } from '@tidegate/store';
import { newId } from '@tidegate/vault';
import { createEdgeFinder } from '../topology/find-edges.ts';
import type { AccountReader } from '../topology/read-account.ts';
import type { WorkerContext } from '../worker-context.ts';
import { createNameCheck } from './check-names.ts';
import { createWayInCheck } from './check-way-in.ts';
import { type PollAnswer, pollAccount } from './poll-account.ts';

/** Both lists, their edges and their rows; a poller that is slower than that is taken for dead. */
const LEASE_MS = 120_000;
/** However much a poll is wanted, the API gets this long between two of them, or half of `pollEvery` if that is less. */
const LONGEST_PAUSE_MS = 2000;
/** A subject is unknown once this many polls should have spoken of it, and on-call is told of as many that failed. */
const MISSED_POLLS = 3;

/** Keeps names, edges and connectivity current by asking API v2 (I13). */
export interface Poller {
  /** Polls if it is time and no other worker does; call it often, it costs one indexed read. */
  look(): Promise<void>;
  /** Holds the gates of subjects that nobody spoke of for three polls. */
  holdUnknown(): Promise<void>;
}

export interface PollerOptions {
  readonly context: WorkerContext;
  readonly account: AccountReader;
  readonly pollEveryMs: number;
  /** Told after each poll in how many milliseconds the next is due. */
  readonly onPolled?: (delayMs: number) => void;
}

export function createPoller({ context, account, pollEveryMs, onPolled = () => {} }: PollerOptions): Poller {
  const { sql, log } = context;
  const edges = createEdgeFinder(account, context.keyring);
  const checkNames = createNameCheck(context);
  const checkWayIn = createWayInCheck(context);

  async function end(poll: ClaimedPoll, answer: PollAnswer | null): Promise<void> {
    const answered = answer !== null && answer.failure === null;
    const failures = answered ? 0 : poll.failures + 1;
    const ended = { answered, failures, retryAfterMs: answer?.retryAfterMs ?? null };
    const delayMs = nextPoll(ended, pollEveryMs, context.random01());
    const pauseMs = answered ? Math.min(LONGEST_PAUSE_MS, pollEveryMs / 2) : delayMs;
    await finishPoll(sql, { poll, answered, delayMs, pauseMs });
    context.metrics.set('correlate.failing', {}, failures);
    onPolled(delayMs);
    if (failures === MISSED_POLLS) await tellOfPolls(sql, { event: 'poll.failing', failures });
    if (answered && poll.failures >= MISSED_POLLS) await tellOfPolls(sql, { event: 'poll.answered' });
  }

  return {
    async look() {
      const poll = await claimPoll(sql, newId('poll'), LEASE_MS);
      if (poll === null) return;
      const startedAtMs = performance.now();
      let answer: PollAnswer | null = null;
      try {
        answer = await pollAccount({ context, account, edges }, poll);
        if (answer.failure === null) {
          await checkNames();
          checkWayIn(answer.tunnelUrls);
          await verifyByPoll(context, poll);
        }
        report(context, answer, poll, performance.now() - startedAtMs);
      } finally {
        // Also when the store failed half-way: the next poll says the same again.
        await end(poll, answer);
      }
    },
    async holdUnknown() {
      for (const service of await holdUnknown(sql, MISSED_POLLS * pollEveryMs))
        log.info('gate.held', { service, reason: 'unknown_subject' });
    },
  };
}

/** Verifies the incidents that no service has part in by what this poll listed. */
async function verifyByPoll({ sql, config, log, metrics }: WorkerContext, poll: ClaimedPoll): Promise<void> {
  const { default: policy } = config.policies;
  if (policy === undefined) throw new Error('a loaded config always holds the default policy');
  const verified = await verifyUnserved(sql, {
    askedAt: poll.askedAt,
    requiredPasses: policy.verify.passes,
    everyMs: policy.verify.everyMs,
    mass: config.mass,
    openAfterMs: policy.openAfterMs,
    maxWaitMs: policy.maxWaitMs,
    newVerificationId: () => newId('ver'),
  });
  for (const { incident, verification, verdict, resolved } of verified) {
    metrics.count('verify.verdicts', { verdict });
    if (!resolved) continue;
    metrics.count('correlate.resolved', { by: 'poll' });
    log.info('incident.resolved', { incident, verification });
  }
}

function report({ log, metrics }: WorkerContext, answer: PollAnswer, poll: ClaimedPoll, durationMs: number): void {
  const { failure, devices, tunnels, lost, back, shut, relinked } = answer;
  const outcome = failure ?? 'ok';
  metrics.count('correlate.polls', { outcome });
  metrics.count('correlate.findings', { change: 'lost' }, lost);
  metrics.count('correlate.findings', { change: 'back' }, back);
  for (const service of shut) log.info('gate.held', { service, reason: 'disconnected' });
  if (relinked > 0) log.info('topology.refreshed', { outcome, devices, tunnels, changed: relinked });
  const line = { outcome, devices, tunnels, lost, back, durationMs: Math.round(durationMs) };
  if (failure === null) log.info('poll.finished', line);
  else log.warn('poll.finished', { ...line, failures: poll.failures + 1 });
}
