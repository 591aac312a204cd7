import type { ConnectivityStatus, LayerOutcome } from '@tidegate/core';
import { type ClaimedPoll, type Finding, listPolledGroups, recordPoll } from '@tidegate/store';
import type { EdgeFinder } from '../topology/find-edges.ts';
import { identifyListed, type Listed } from '../topology/identify-listed.ts';
import type { AccountReader } from '../topology/read-account.ts';
import { type ListedAccount, refreshTopology } from '../topology/refresh-topology.ts';
import { judgeDevice, judgeTunnel } from '../verify/judge-account.ts';
import type { WorkerContext } from '../worker-context.ts';

/** What a poll needs besides the context. */
export interface PollSources {
  readonly context: WorkerContext;
  readonly account: AccountReader;
  readonly edges: EdgeFinder;
}

export interface PollAnswer {
  /** Why a list could not be had; null when both were answered. */
  readonly failure: string | null;
  readonly retryAfterMs: number | null;
  readonly devices: number;
  readonly tunnels: number;
  /** Subjects lost and back although no webhook said so, services whose gate was held for it, services with new edges. */
  readonly lost: number;
  readonly back: number;
  readonly shut: readonly string[];
  readonly relinked: number;
  /** Public addresses of the tunnels listed, as the API gives them. */
  readonly tunnelUrls: readonly string[];
}

/** Findings one transaction writes down: while it runs, reports about what dropped wait for it. */
const BATCH = 5000;

/**
 * Polls API v2 once: one list of devices and one of tunnels, whatever the number of subjects. Names and edges are kept
 * current from them, then what they say of connectivity is recorded. One list is of use without the other.
 */
export async function pollAccount(sources: PollSources, poll: ClaimedPoll): Promise<PollAnswer> {
  // The lists of a large account are the largest thing a worker holds: they are let go before their findings are written.
  const { findings, answer } = await readAccount(sources);
  return { ...answer, ...(await record(sources.context, findings, poll.askedAt)) };
}

async function readAccount({ context, account, edges }: PollSources) {
  const [devices, tunnels] = await Promise.all([account.devices(), account.tunnels()]);
  const findings: GroupedFinding[][] = [];
  let relinked = 0;
  for (const group of await listPolledGroups(context.sql)) {
    const lists = { devices, tunnels };
    const found = await identify(context, group, lists);
    const refreshed = await refreshTopology(context, edges, found);
    // Subjects that the topology has just made are confirmed by this poll already.
    const listed = refreshed.written ? await identify(context, group, lists) : found;
    findings.push(
      toFindings(listed.devices, (device) => judgeDevice(devices, device).outcome),
      toFindings(listed.tunnels ?? [], (tunnel) => judgeTunnel(tunnels, tunnel).outcome),
    );
    relinked += refreshed.relinked;
  }
  const failed = [devices, tunnels].flatMap((list) => (list.ok ? [] : [list]));
  const waits = failed.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const answer = {
    relinked,
    failure: failed[0]?.reason ?? null,
    retryAfterMs: waits.length > 0 ? Math.max(...waits) : null,
    devices: devices.ok ? devices.value.items.length : 0,
    tunnels: tunnels.ok ? tunnels.value.items.length : 0,
    tunnelUrls: tunnels.ok ? tunnels.value.items.flatMap(({ url }) => url ?? []) : [],
  };
  return { findings: findings.flat(), answer };
}

interface Lists {
  readonly devices: Awaited<ReturnType<AccountReader['devices']>>;
  readonly tunnels: Awaited<ReturnType<AccountReader['tunnels']>>;
}

async function identify(context: WorkerContext, group: string, { devices, tunnels }: Lists): Promise<ListedAccount> {
  return {
    group,
    devices: devices.ok
      ? await identifyListed(context, group, devices.value, ({ token, name }) => ({ id: token, name }))
      : [],
    tunnels: tunnels.ok
      ? await identifyListed(context, group, tunnels.value, ({ id, title }) => ({ id, name: title }))
      : null,
  };
}

const STATUS: Record<LayerOutcome, ConnectivityStatus | null> = {
  pass: 'connected',
  fail: 'disconnected',
  unknown: null,
  skipped: null,
};

/** The outcome of the layer is the finding, so that a poll and a verification cannot read one answer in two ways. */
function toFindings<T>(listed: readonly Listed<T>[], judge: (item: T) => LayerOutcome): GroupedFinding[] {
  return listed.flatMap(({ item, subject }) => {
    const status = STATUS[judge(item)];
    return subject === null || status === null
      ? []
      : [{ subjectId: subject.id, groupId: subject.deviceId ?? subject.id, status }];
  });
}

interface GroupedFinding extends Finding {
  readonly groupId: number;
}

/** Group by group: a batch then holds up few groups, and looks at few, whatever the order of the lists. */
async function record({ sql, config }: WorkerContext, found: readonly GroupedFinding[], askedAt: Date) {
  const findings = found.toSorted((a, b) => a.groupId - b.groupId);
  const fallback = config.policies.default;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  const { openAfterMs, maxWaitMs } = fallback;
  const settings = { askedAt, refreshMs: config.localtonet?.pollEveryMs ?? 0, openAfterMs, maxWaitMs };
  const done = { lost: 0, back: 0, shut: [] as string[] };
  for (let start = 0; start < findings.length; start += BATCH) {
    const recorded = await recordPoll(sql, findings.slice(start, start + BATCH), settings);
    done.lost += recorded.lost;
    done.back += recorded.back;
    done.shut.push(...recorded.shut);
  }
  return done;
}
