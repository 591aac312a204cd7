import { checkNotify } from './check-notify.ts';
import { checkSelfDependency } from './check-self-dependency.ts';
import type { ParsedConfig, ParsedPolicy, ParsedService } from './config-schema.ts';
import type { PathIssue } from './describe-issue.ts';
import type { KeyPath } from './key-path.ts';

const DAY_MS = 86_400_000;
/** A receiver beats each second: less than this, and one late beat would hold every gate. */
const LEAST_SILENCE_MS = 2000;

/** What the schema cannot see: names that must differ, names that must exist, numbers that must fit each other. */
export function checkConfig(config: ParsedConfig): PathIssue[] {
  return [
    ...repeatedNames(config.sources, 'sources'),
    ...repeatedNames(config.services, 'services'),
    ...repeatedSecrets(config.sources),
    ...config.services.flatMap((service, index) => checkService(config, service, ['services', index])),
    ...checkRetention(config),
    ...checkReceiver(config.receiver),
    ...checkSelfDependency(config),
    ...checkPolicies(config.policies),
    ...checkNotify(config),
  ];
}

function repeatedNames(entries: readonly { readonly name: string }[], section: string): PathIssue[] {
  const seen = new Set<string>();
  return entries.flatMap(({ name }, index) => {
    const repeated = seen.has(name);
    seen.add(name);
    return repeated ? [{ path: [section, index, 'name'], message: 'is the name of an earlier entry' }] : [];
  });
}

/** One secret cannot stand for two sources: the later would silently take over the earlier one's deliveries. */
function repeatedSecrets(sources: ParsedConfig['sources']): PathIssue[] {
  const seen = new Set<string>();
  return sources.flatMap(({ secret }, index) => {
    if (secret === undefined) return [];
    const repeated = seen.has(secret);
    seen.add(secret);
    return repeated ? [{ path: ['sources', index, 'secret'], message: 'is the secret of an earlier entry' }] : [];
  });
}

function checkService(config: ParsedConfig, service: ParsedService, path: KeyPath): PathIssue[] {
  const issues: PathIssue[] = [];
  if (!config.sources.some(({ name }) => name === service.source)) {
    issues.push({
      path: [...path, 'source'],
      message: 'names no entry of sources: one added on the command line has to be listed there too',
    });
  }
  if (!Object.hasOwn(config.policies, service.policy)) {
    issues.push({ path: [...path, 'policy'], message: 'names no entry of policies' });
  }
  if (service.device === undefined && service.tunnel === undefined) {
    issues.push({ path, message: 'needs a device or a tunnel, or nothing would ever shut its gate' });
  }
  for (const layer of ['liveness', 'readiness'] as const) {
    issues.push(...checkLocalProbe(service.probes[layer], [...path, 'probes', layer]));
  }
  return issues;
}

function checkLocalProbe(probe: ParsedService['probes']['liveness'], path: KeyPath): PathIssue[] {
  if (probe === undefined) {
    return [];
  }
  if ((probe.url === undefined) === (probe.reporter === undefined)) {
    return [{ path, message: 'needs either a url or a reporter' }];
  }
  if (probe.reporter !== undefined) {
    return [{ path: [...path, 'reporter'], message: 'is not supported yet: give a url that the worker can reach' }];
  }
  return [];
}

function checkReceiver({ silentAfter, retireAfter }: ParsedConfig['receiver']): PathIssue[] {
  const path = ['receiver', 'silentAfter'];
  if (silentAfter < LEAST_SILENCE_MS) return [{ path, message: 'must be 2s or more: a receiver beats each second' }];
  return silentAfter > retireAfter ? [{ path, message: 'must not be longer than retireAfter' }] : [];
}

/** What is pruned must not be needed any more by a rule that looks back, or by a sender that tries again. */
function checkRetention({ policies, retention }: ParsedConfig): PathIssue[] {
  const longest = (value: (policy: ParsedPolicy) => number) => Math.max(...Object.values(policies).map(value));
  const tooShort: readonly [keyof ParsedConfig['retention'], number, string][] = [
    [
      'idempotency',
      longest((policy) => policy.release.retry.maxElapsed) + DAY_MS,
      'the largest release.retry.maxElapsed plus one day',
    ],
    ['observations', longest((policy) => policy.flap.window), 'the largest flap.window'],
    ['incidents', longest((policy) => policy.reopenWithin), 'the largest reopenWithin'],
  ];
  return tooShort.flatMap(([key, leastMs, least]) =>
    Number(retention[key]) < leastMs
      ? [{ path: ['retention', key], message: `must not be shorter than ${least}` }]
      : [],
  );
}

/** The same for thresholds alone. */
export function checkPolicies(policies: ParsedConfig['policies']): PathIssue[] {
  return Object.entries(policies).flatMap(([name, policy]) => checkPolicy(policy, ['policies', name]));
}

function checkPolicy(policy: ParsedPolicy, path: KeyPath): PathIssue[] {
  const issues: PathIssue[] = [];
  if (policy.maxWait < policy.openAfter) {
    issues.push({ path: [...path, 'maxWait'], message: 'must not be shorter than openAfter' });
  }
  if (policy.flap.settlesAt >= policy.flap.opensAt) {
    issues.push({ path: [...path, 'flap', 'settlesAt'], message: 'must be below opensAt' });
  }
  const { retry } = policy.release;
  if (retry.maxDelay < retry.baseDelay) {
    issues.push({ path: [...path, 'release', 'retry', 'maxDelay'], message: 'must not be shorter than baseDelay' });
  }
  if (retry.maxElapsed < retry.baseDelay) {
    issues.push({ path: [...path, 'release', 'retry', 'maxElapsed'], message: 'must not be shorter than baseDelay' });
  }
  return issues;
}
