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
    help: 'Time from the head of a request to the webhook to its answer.',
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
    help: 'Incidents resolved, by what ended them: a verification, a poll, or a person.',
    labels: ['by'],
  },
  'correlate.incidents': {
    type: 'gauge',
    name: 'tidegate_correlate_incidents',
    help: 'Incidents that are not resolved, by state.',
    labels: ['state'],
  },
  'correlate.oldest': {
    type: 'gauge',
    name: 'tidegate_correlate_oldest_unprocessed_seconds',
    help: 'How far past its time the oldest observation is that no decision was made on; debounce is not counted.',
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
  'release.waiting': {
    type: 'gauge',
    name: 'tidegate_release_waiting_callbacks',
    help: 'Callbacks that are not at their end, by state.',
    labels: ['state'],
  },
  'release.oldest': {
    type: 'gauge',
    name: 'tidegate_release_oldest_held_seconds',
    help: 'Time since the oldest callback that is held was handed over.',
    labels: [],
  },
  'notify.decided': {
    type: 'counter',
    name: 'tidegate_notify_decided_total',
    help: 'Notifications written into the ledger, by kind.',
    labels: ['kind'],
  },
  'notify.attempts': {
    type: 'counter',
    name: 'tidegate_notify_attempts_total',
    help: 'Attempts to deliver a notification, by type of channel and what became of the notification; failed means given up.',
    labels: ['type', 'outcome'],
  },
  'notify.repeats': {
    type: 'counter',
    name: 'tidegate_notify_repeats_total',
    help: 'Repeats for receivers that forget what they are not told again, by outcome.',
    labels: ['outcome'],
  },
  'notify.scrubbed': {
    type: 'counter',
    name: 'tidegate_notify_scrubbed_total',
    help: 'Places in notifications that looked like a secret and were blacked out; anything above 0 is a mistake.',
    labels: [],
  },
  'notify.unrouted': {
    type: 'counter',
    name: 'tidegate_notify_unrouted_total',
    help: 'Times that something critical was to be told and no route named a channel for it.',
    labels: [],
  },
  'notify.waiting': {
    type: 'gauge',
    name: 'tidegate_notify_waiting',
    help: 'Notifications that are decided and not delivered yet.',
    labels: [],
  },
  'notify.oldest': {
    type: 'gauge',
    name: 'tidegate_notify_oldest_waiting_seconds',
    help: 'Age of the oldest notification that is not delivered yet.',
    labels: [],
  },
  'notify.failing': {
    type: 'gauge',
    name: 'tidegate_notify_failing_channels',
    help: 'Channels whose last attempt failed.',
    labels: [],
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
  'gate.hands': {
    type: 'gauge',
    name: 'tidegate_gate_hands',
    help: 'Gates that a person holds or forces open.',
    labels: ['hand'],
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
  'queue.lag': {
    type: 'histogram',
    name: 'tidegate_queue_lag_seconds',
    help: 'How late alarms rang, by room.',
    labels: ['room'],
    buckets: SLOW_SECONDS,
  },
  'queue.overdue': {
    type: 'gauge',
    name: 'tidegate_queue_overdue_seconds',
    help: 'How far past its time the oldest work of a room is, whatever became of its alarm.',
    labels: ['room'],
  },
  'queue.stalled': {
    type: 'gauge',
    name: 'tidegate_queue_stalled_seconds',
    help: 'Time for which a room has had overdue work and come to the end of no round; it hangs, or fails each time.',
    labels: ['room'],
  },
  'dead_man.pings': {
    type: 'counter',
    name: 'tidegate_deadman_pings_total',
    help: 'Pings of the service that raises the alarm when it hears none, by outcome; withheld while something does not work.',
    labels: ['outcome'],
  },
  'trace.spans': {
    type: 'counter',
    name: 'tidegate_trace_spans_total',
    help: 'Spans that a collector took, or that were dropped.',
    labels: ['outcome'],
  },
  'feed.streams': {
    type: 'gauge',
    name: 'tidegate_feed_streams',
    help: 'Readers that follow the events at present.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricKey = keyof typeof METRIC_CATALOG;

/** Keys of the metrics of one type. */
export type MetricOf<T extends Metric['type']> = {
  [K in MetricKey]: (typeof METRIC_CATALOG)[K]['type'] extends T ? K : never;
}[MetricKey];

/** The labels a metric needs, each a named value. */
export type LabelsOf<K extends MetricKey> = Readonly<Record<(typeof METRIC_CATALOG)[K]['labels'][number], string>>;
