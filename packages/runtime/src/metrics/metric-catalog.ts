interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

const FAST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const SLOW_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600] as const;

/**
 * Every metric there is, by room. Labels are few and take named values only: never an alias, a service, a source or
 * anything received.
 */
export const METRIC_CATALOG = {
  'receive.requests': {
    type: 'counter',
    name: 'tidegate_receive_requests_total',
    help: 'Requests to the webhook, by outcome.',
    labels: ['outcome'],
  },
  'receive.duration': {
    type: 'histogram',
    name: 'tidegate_receive_duration_seconds',
    help: 'Time from the first byte of a webhook request to its answer.',
    labels: [],
    buckets: FAST_SECONDS,
  },
  'record.batch': {
    type: 'histogram',
    name: 'tidegate_record_batch_size',
    help: 'Deliveries that shared one commit.',
    labels: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  },
  'record.duration': {
    type: 'histogram',
    name: 'tidegate_record_duration_seconds',
    help: 'Time of one commit of a batch.',
    labels: [],
    buckets: FAST_SECONDS,
  },
  'record.spooled': {
    type: 'counter',
    name: 'tidegate_record_spooled_total',
    help: 'Deliveries appended to the spool because the store was unreachable.',
    labels: [],
  },
  'record.spool_bytes': {
    type: 'gauge',
    name: 'tidegate_record_spool_bytes',
    help: 'Size of what is spooled and not yet in the store.',
    labels: [],
  },
  'record.replayed': {
    type: 'counter',
    name: 'tidegate_record_replayed_total',
    help: 'Spooled deliveries recorded once the store was back.',
    labels: [],
  },
  'record.lost': {
    type: 'counter',
    name: 'tidegate_record_lost_total',
    help: 'Deliveries that neither the store nor the spool could keep, or that the spool could not give back.',
    labels: [],
  },
  'correlate.opened': {
    type: 'counter',
    name: 'tidegate_correlate_incidents_opened_total',
    help: 'Incidents opened, by kind.',
    labels: ['kind'],
  },
  'correlate.blips': {
    type: 'counter',
    name: 'tidegate_correlate_blips_total',
    help: 'Drops that healed before anybody was paged.',
    labels: [],
  },
  'correlate.resolved': {
    type: 'counter',
    name: 'tidegate_correlate_incidents_resolved_total',
    help: 'Incidents resolved, by kind.',
    labels: ['kind'],
  },
  'correlate.duration': {
    type: 'histogram',
    name: 'tidegate_correlate_incident_duration_seconds',
    help: 'Time from the opening of an incident to its end.',
    labels: ['kind'],
    buckets: SLOW_SECONDS,
  },
  'correlate.oldest': {
    type: 'gauge',
    name: 'tidegate_correlate_oldest_unprocessed_seconds',
    help: 'Age of the oldest observation that no decision was made on.',
    labels: [],
  },
  'correlate.polls': {
    type: 'counter',
    name: 'tidegate_correlate_polls_total',
    help: 'Polls of the Localtonet API, by outcome.',
    labels: ['outcome'],
  },
  'correlate.findings': {
    type: 'counter',
    name: 'tidegate_correlate_poll_findings_total',
    help: 'Subjects that a poll found lost or back although no webhook said so.',
    labels: ['change'],
  },
  'correlate.failing': {
    type: 'gauge',
    name: 'tidegate_correlate_failed_polls',
    help: 'Polls of the Localtonet API in a row that were not answered, as this worker saw them; 0 after an answer.',
    labels: [],
  },
  'correlate.misnamed': {
    type: 'gauge',
    name: 'tidegate_correlate_misnamed_services',
    help: 'Services whose device no device of the Localtonet account is called.',
    labels: [],
  },
  'verify.verdicts': {
    type: 'counter',
    name: 'tidegate_verify_verdicts_total',
    help: 'Verifications finished, by verdict.',
    labels: ['verdict'],
  },
  'verify.layers': {
    type: 'counter',
    name: 'tidegate_verify_layers_total',
    help: 'Layer results, by layer and outcome.',
    labels: ['layer', 'outcome'],
  },
  'verify.duration': {
    type: 'histogram',
    name: 'tidegate_verify_duration_seconds',
    help: 'Time of one verification.',
    labels: [],
    buckets: SLOW_SECONDS,
  },
  'release.callbacks': {
    type: 'counter',
    name: 'tidegate_release_callbacks_total',
    help: 'Attempts to send a callback, by outcome.',
    labels: ['outcome'],
  },
  'release.lookups': {
    type: 'counter',
    name: 'tidegate_release_lookups_total',
    help: 'Status lookups of callbacks whose outcome is unknown, by what they found.',
    labels: ['outcome'],
  },
  'retention.pruned': {
    type: 'counter',
    name: 'tidegate_retention_pruned_total',
    help: 'Rows removed because their retention was over, by what they are; months are partitions dropped.',
    labels: ['kind'],
  },
  'gate.gates': {
    type: 'gauge',
    name: 'tidegate_gate_gates',
    help: 'Gates, by state.',
    labels: ['state'],
  },
  'gate.silent_receivers': {
    type: 'gauge',
    name: 'tidegate_gate_silent_receivers',
    help: 'Registered receivers that are silent; while there is one, every gate is held.',
    labels: [],
  },
  'gate.queries': {
    type: 'counter',
    name: 'tidegate_gate_queries_total',
    help: 'Gate queries answered, by decision.',
    labels: ['decision'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricKey = keyof typeof METRIC_CATALOG;

/** Keys of the metrics of one type. */
export type MetricOf<T extends Metric['type']> = {
  [K in MetricKey]: (typeof METRIC_CATALOG)[K]['type'] extends T ? K : never;
}[MetricKey];

/** The labels a metric needs, each a named value. */
export type LabelsOf<K extends MetricKey> = Readonly<Record<(typeof METRIC_CATALOG)[K]['labels'][number], string>>;
