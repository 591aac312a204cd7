import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type LabelsOf, METRIC_CATALOG, type MetricKey, type MetricOf } from './metric-catalog.ts';

/** Values are named codes; an alias or anything else becomes `other`, so that no label grows without bound. */
const LABEL_VALUE = /^(?!dev_|tun_)[a-z]{1,24}(?:_[a-z]{1,24}){0,4}$/;

export interface Metrics {
  /** Adds to a counter, one unless told otherwise. */
  count<K extends MetricOf<'counter'>>(metric: K, labels: LabelsOf<K>, by?: number): void;
  /** Records one value of a histogram: seconds, or a size, as its name says. */
  observe<K extends MetricOf<'histogram'>>(metric: K, labels: LabelsOf<K>, value: number): void;
  /** Sets a gauge. */
  set<K extends MetricOf<'gauge'>>(metric: K, labels: LabelsOf<K>, value: number): void;
  /** Takes a gauge away until it is set again: what is not known any more is shown as nothing, not as it was. */
  forget(metric: MetricOf<'gauge'>): void;
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Creates one app's registry: the process metrics of Node, and the metric catalog. */
export function createMetrics({ app }: { app: string }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  const counters = new Map<MetricKey, Counter>();
  const gauges = new Map<MetricKey, Gauge>();
  const histograms = new Map<MetricKey, Histogram>();
  for (const key of Object.keys(METRIC_CATALOG) as MetricKey[]) {
    const metric = METRIC_CATALOG[key];
    const common = { name: metric.name, help: metric.help, labelNames: [...metric.labels], registers: [registry] };
    if (metric.type === 'counter') {
      counters.set(key, new Counter(common));
    } else if (metric.type === 'gauge') {
      gauges.set(key, new Gauge(common));
    } else {
      histograms.set(key, new Histogram({ ...common, buckets: [...metric.buckets] }));
    }
  }
  return {
    count: (metric, labels, by = 1) => counters.get(metric)?.inc(cleanLabels(labels), by),
    observe: (metric, labels, value) => histograms.get(metric)?.observe(cleanLabels(labels), value),
    set: (metric, labels, value) => gauges.get(metric)?.set(cleanLabels(labels), value),
    forget(metric) {
      const gauge = gauges.get(metric);
      gauge?.reset();
      // Without labels a reset gauge would be 0.
      if (METRIC_CATALOG[metric].labels.length === 0) gauge?.remove();
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function cleanLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(labels).map(([name, value]) => [name, LABEL_VALUE.test(value) ? value : 'other']);
  return Object.fromEntries(entries);
}
