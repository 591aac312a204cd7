import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { type Config, createMetrics, METRIC_CATALOG, type Metrics } from '@tidegate/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { beginCounters } from '../apps/worker/src/overview/begin-counters.ts';
import { ROOT, readSources } from './architecture/read-house.ts';
import { evaluatePromql, parseMetrics, type Scrapes } from './support/evaluate-promql.ts';

/** Labels that anybody's data could get into. */
const FORBIDDEN_LABELS = /alias|service|source|subject|device|tunnel|incident|host|url|id$/;
const DURATION = /^\d+(ms|s|m|h|d)$/;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const read = (name: string) => readFileSync(join(ROOT, 'infra/observability', name), 'utf8');
const rules = (parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('dashboard.json')) as {
  panels: {
    title: string;
    id: number;
    gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
    targets: { expr: string; legendFormat: string }[];
  }[];
};
const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => ({ title, legendFormat, expr: expr.replaceAll('$__rate_interval', '5m') })),
);

/** Every series that a process shows, with its labels; histograms are three of them. */
let series: Map<string, Set<string>>;
beforeAll(async () => {
  const text = await createMetrics({ app: 'test' }).text();
  series = new Map();
  for (const metric of Object.values(METRIC_CATALOG)) {
    const labels = new Set<string>(['app', ...metric.labels]);
    const suffixes = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of suffixes) series.set(metric.name + suffix, suffix === '_bucket' ? labels.add('le') : labels);
  }
  for (const [, name] of text.matchAll(/^# TYPE ((?:process|nodejs)_\S+)/gm))
    if (name !== undefined) series.set(name, new Set(['app']));
});

/** What is wrong with a PromQL expression: its syntax, a series that nobody shows, or a label that it does not have. */
function judge(expr: string): string[] {
  const found: string[] = [];
  const named = new Set<string>();
  const labels = new Set<string>();
  parser.parse(expr).iterate({
    enter(node) {
      const text = expr.slice(node.from, node.to);
      if (node.type.isError)
        found.push(`does not parse near "${expr.slice(Math.max(0, node.from - 10), node.to + 10)}"`);
      if (node.name === 'VectorSelector') named.add(/^[a-zA-Z_:][\w:]*/.exec(text)?.[0] ?? text);
      if (node.name === 'LabelName') labels.add(text);
    },
  });
  const known = [...named].filter((name) => series.has(name));
  for (const name of named) if (!series.has(name)) found.push(`${name} is shown by nobody`);
  for (const label of labels) {
    if (known.length > 0 && !known.some((name) => series.get(name)?.has(label)))
      found.push(`no series has the label ${label}`);
  }
  if (named.size === 0) found.push('asks for nothing');
  return found;
}

describe('the metric catalog', () => {
  const metrics = Object.entries(METRIC_CATALOG);

  it.each(metrics)('%s is named by its room, explained, and has no label that could name anybody', (key, metric) => {
    expect(metric.name).toMatch(/^tidegate_[a-z]+_[a-z0-9_]+$/);
    expect(metric.name.split('_')[1]).toBe(key.split('.')[0]?.replace('_', ''));
    expect(metric.name.endsWith('_total')).toBe(metric.type === 'counter');
    expect(metric.help).toMatch(/^[A-Z].+\.$/);
    expect(metric.labels.filter((label) => FORBIDDEN_LABELS.test(label))).toEqual([]);
  });

  it('holds nothing that no app ever sets', () => {
    const shipped = readSources()
      // What is merely begun at 0 is not counted.
      .filter(({ path }) => /^apps\/[^/]+\/src\//.test(path) && !/\.test\.|begin-counters/.test(path))
      .map(({ path }) => readFileSync(join(ROOT, path), 'utf8'))
      .join('\n');
    const set = new Set([...shipped.matchAll(/metrics\.(?:count|set|observe)\(\s*'([\w.]+)'/g)].map(([, key]) => key));
    expect(metrics.filter(([key]) => !set.has(key)).map(([key]) => key)).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('are some, each named once', () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules)(
    '$alert asks for what there is, and says what to do',
    ({ alert, expr, for: patience, labels, annotations }) => {
      expect(judge(expr)).toEqual([]);
      expect(alert).toMatch(/^Tidegate[A-Z]\w+$/);
      expect(patience ?? '1m').toMatch(DURATION);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^\S.+\.$/);
      expect(annotations.description).toMatch(/^\S.+\.$/);
    },
  );
});

/** What a Tidegate at work shows, at the begin of every window. */
function showHealth(metrics: Metrics): void {
  for (const state of ['open', 'held'] as const) metrics.set('gate.gates', { state }, 3);
  for (const room of ['correlate', 'verify', 'release', 'notify'] as const) {
    metrics.set('queue.overdue', { room }, 2);
    metrics.set('queue.stalled', { room }, 1);
    metrics.observe('queue.lag', { room }, 0.05);
  }
  metrics.set('gate.hands', { hand: 'open' }, 0);
  metrics.set('release.waiting', { state: 'needs_review' }, 0);
  metrics.set('release.oldest', {}, 3600);
  metrics.set('correlate.failing', {}, 2);
  metrics.observe('receive.duration', {}, 0.02);
  for (const outcome of ['heard', 'failed'] as const) metrics.count('dead_man.pings', { outcome }, 5);
  for (const verdict of ['healthy', 'inconclusive'] as const) metrics.count('verify.verdicts', { verdict }, 5);
}

/** What happens in a window in which all is well. */
function goOn(metrics: Metrics): void {
  metrics.count('dead_man.pings', { outcome: 'heard' });
  metrics.count('dead_man.pings', { outcome: 'failed' });
  metrics.count('verify.verdicts', { verdict: 'healthy' }, 9);
  metrics.count('verify.verdicts', { verdict: 'inconclusive' });
  metrics.observe('receive.duration', {}, 0.02);
  for (const room of ['correlate', 'verify'] as const) metrics.observe('queue.lag', { room }, 0.2);
}

/** What each rule is for, in the numbers that it must ring at. */
const FAULTS: Readonly<Record<string, (metrics: Metrics) => void>> = {
  TidegateReceiverSilent: (metrics) => metrics.set('gate.silent_receivers', {}, 1),
  TidegateWorkerGone: (metrics) => metrics.forget('gate.gates'),
  TidegateDeliveriesLost: (metrics) => metrics.count('record.lost', {}),
  TidegateSpooling: (metrics) => metrics.set('record.spool_bytes', {}, 4096),
  TidegateWorkOverdue: (metrics) => metrics.set('queue.overdue', { room: 'notify' }, 61),
  TidegateRoomStuck: (metrics) => metrics.set('queue.stalled', { room: 'release' }, 61),
  TidegateObservationsUnprocessed: (metrics) => metrics.set('correlate.oldest', {}, 61),
  TidegateAlarmsLate: (metrics) => metrics.observe('queue.lag', { room: 'verify' }, 40),
  TidegateNeedsReview: (metrics) => metrics.set('release.waiting', { state: 'needs_review' }, 1),
  TidegateCallbacksHeldLong: (metrics) => metrics.set('release.oldest', {}, 14_401),
  TidegateNotificationsFailing: (metrics) => metrics.set('notify.failing', {}, 1),
  TidegateNobodyToBeTold: (metrics) => metrics.count('notify.unrouted', {}),
  TidegateNotificationScrubbed: (metrics) => metrics.count('notify.scrubbed', {}),
  TidegatePollsFailing: (metrics) => metrics.set('correlate.failing', {}, 3),
  TidegateServicesMisnamed: (metrics) => metrics.set('correlate.misnamed', {}, 1),
  TidegateVerificationsInconclusive: (metrics) => metrics.count('verify.verdicts', { verdict: 'inconclusive' }, 10),
  TidegateGateForcedOpen: (metrics) => metrics.set('gate.hands', { hand: 'open' }, 1),
  TidegateSlowWebhooks: (metrics) => metrics.observe('receive.duration', {}, 4),
  TidegateDeadManUnheard: (metrics) => metrics.count('dead_man.pings', { outcome: 'failed' }),
};

describe('what the alert rules ring at', () => {
  const scrape = async (happens: (metrics: Metrics) => void): Promise<Scrapes> => {
    const metrics = createMetrics({ app: 'worker' });
    showHealth(metrics);
    const before = parseMetrics(await metrics.text());
    happens(metrics);
    return { before, now: parseMetrics(await metrics.text()) };
  };

  it('has a fault for each rule', () =>
    expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(FAULTS).sort()));

  it.each(rules)('$alert rings at its fault, and not while all is well', async ({ alert, expr }) => {
    expect(evaluatePromql(expr, await scrape(goOn))).toEqual([]);
    expect(evaluatePromql(expr, await scrape(FAULTS[alert] ?? goOn)).length).toBeGreaterThan(0);
  });

  it('counts the first of its kind after a start, too: a series that begins at 1 has not grown', async () => {
    const metrics = createMetrics({ app: 'worker' });
    const notify = { channels: [{ type: 'slack' }] };
    beginCounters({ metrics, config: { notify, deadMan: {} } as unknown as Config });
    const before = parseMetrics(await metrics.text());
    metrics.count('correlate.opened', { kind: 'mass' });
    metrics.count('notify.attempts', { type: 'slack', outcome: 'failed' });
    metrics.count('dead_man.pings', { outcome: 'failed' });
    const scrapes = { before, now: parseMetrics(await metrics.text()) };
    for (const name of ['correlate_incidents_opened', 'notify_attempts', 'deadman_pings'])
      expect(evaluatePromql(`sum(increase(tidegate_${name}_total[5m])) > 0`, scrapes)).toHaveLength(1);
  });

  it('names the room that it is about, where its words do', async () => {
    for (const { alert, expr, annotations } of rules.filter(({ annotations: { summary } }) => summary.includes('{{'))) {
      const [firing] = evaluatePromql(expr, await scrape(FAULTS[alert] ?? goOn));
      for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
        expect(firing?.labels).toHaveProperty(label ?? '');
    }
  });

  it('waits for callbacks that wait for others, which is nobody’s lateness', async () => {
    const overdue = rules.find(({ alert }) => alert === 'TidegateWorkOverdue');
    const scrapes = await scrape((metrics) => metrics.set('queue.overdue', { room: 'release' }, 7200));
    expect(evaluatePromql(overdue?.expr ?? '', scrapes)).toEqual([]);
  });
});

describe('the dashboard', () => {
  it.each(queries)('$title: $expr', ({ expr, legendFormat }) => {
    expect(judge(expr)).toEqual([]);
    const grouped = new Set([...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => (list ?? '').split(', ')));
    if (grouped.size === 0) grouped.add('app');
    expect(
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]
        .map(([, label]) => label)
        .filter((label) => !grouped.has(label ?? '')),
    ).toEqual([]);
  });

  it('has panels that do not lie upon each other', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('shows every metric of the catalog but those that an alert alone is about', () => {
    const asked = [...queries, ...rules].map(({ expr }) => expr).join('\n');
    const unseen = Object.values(METRIC_CATALOG).filter(({ name }) => !asked.includes(name));
    expect(unseen.map(({ name }) => name).sort()).toEqual([
      'tidegate_notify_decided_total',
      'tidegate_notify_repeats_total',
      'tidegate_record_batch_size',
      'tidegate_retention_pruned_total',
    ]);
  });
});

describe('the judge can find something wrong', () => {
  it.each([
    ['sum by (state) (tidegate_gate_gates', 'does not parse'],
    ['tidegate_gate_gatez > 0', 'tidegate_gate_gatez is shown by nobody'],
    ['sum by (room) (tidegate_gate_gates)', 'no series has the label room'],
    ['rate(tidegate_queue_lag_seconds[5m])', 'tidegate_queue_lag_seconds is shown by nobody'],
    ['1 > 0', 'asks for nothing'],
  ])('%s', (expr, flaw) => expect(judge(expr).join()).toContain(flaw));
});
