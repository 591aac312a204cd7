/**
 * What a field may hold. `code`, `version`, `id` and `route` must have the shape of one, so that a value put there by mistake is
 * dropped; `name` is text of ours or of the owner, capped and cleaned; `error` is reduced to its code.
 */
export type FieldKind = 'code' | 'version' | 'id' | 'route' | 'name' | 'number' | 'flag' | 'error';

const verdict = {
  service: 'name',
  verdict: 'code',
  generation: 'number',
  passes: 'number',
  durationMs: 'number',
} as const;
const incident = {
  incident: 'id',
  kind: 'code',
  group: 'id',
  services: 'number',
  subjects: 'number',
  generation: 'number',
  why: 'code',
} as const;
const gate = { service: 'name', reason: 'code', generation: 'number', incident: 'id' } as const;
const callback = { callback: 'id', service: 'name', state: 'code' } as const;
const notification = { notification: 'id', incident: 'id', channel: 'name', kind: 'code' } as const;
const sending = { attempt: 'number', status: 'number', durationMs: 'number' } as const;
const child = { child: 'code', childPid: 'number' } as const;

/**
 * Every line an app may log and the only fields it may have: the allow-list of I3. Add events and fields here, never a
 * field that could hold a credential, a URL, a subject's real id or received text.
 */
export const EVENT_CATALOG = {
  'app.started': { version: 'version', host: 'name', port: 'number', adminPort: 'number', durationMs: 'number' },
  'app.stopping': { signal: 'code' },
  'app.stopped': { durationMs: 'number' },
  'app.failed': { error: 'error', step: 'code' },
  'child.started': { ...child, attempt: 'number' },
  'child.exited': { ...child, exitCode: 'number', signal: 'code' },
  'schema.migrated': { from: 'number', to: 'number', applied: 'number', durationMs: 'number' },
  'source.seen': { source: 'name', group: 'name' },
  'observation.recorded': {
    observation: 'id',
    source: 'name',
    type: 'code',
    status: 'code',
    repeat: 'flag',
    count: 'number',
  },
  'delivery.rejected': { source: 'name', status: 'number', reason: 'code', count: 'number' },
  'delivery.spooled': { count: 'number' },
  'spool.replayed': { count: 'number', durationMs: 'number' },
  'spool.damaged': { damaged: 'number', refused: 'number' },
  'spool.lost': { count: 'number', code: 'code' },
  'pending.armed': { groups: 'number', count: 'number' },
  'blip.recorded': { group: 'id', durationMs: 'number', observations: 'number' },
  'incident.opened': incident,
  'incident.joined': incident,
  'incident.reopened': incident,
  'incident.resolved': { ...incident, verification: 'id', durationMs: 'number' },
  'gate.held': gate,
  'gate.forced_open': gate,
  'gate.opened': { ...gate, verification: 'id' },
  'gate.released': { ...gate, callbacks: 'number', durationMs: 'number' },
  /** Every gate is held until it is heard again, or retired. */
  'receiver.silent': { receiver: 'id', durationMs: 'number' },
  'receiver.heard': { receiver: 'id' },
  'receiver.retired': { receiver: 'id', durationMs: 'number' },
  'verification.finished': { verification: 'id', ...verdict, overtaken: 'flag' },
  'poll.finished': {
    outcome: 'code',
    devices: 'number',
    tunnels: 'number',
    lost: 'number',
    back: 'number',
    failures: 'number',
    durationMs: 'number',
  },
  'topology.refreshed': {
    outcome: 'code',
    devices: 'number',
    tunnels: 'number',
    edges: 'number',
    changed: 'number',
    durationMs: 'number',
  },
  'receiver.behind_tunnel': { tunnels: 'number' },
  'service.misnamed': { service: 'name', kept: 'flag' },
  'callback.recorded': callback,
  'callback.ordered': { ...callback, command: 'code' },
  'callback.delivered': { ...callback, attempt: 'number', status: 'number', durationMs: 'number' },
  'callback.attempted': { ...callback, phase: 'code', status: 'number', attempt: 'number', reason: 'code' },
  /** The end of an attempt whose lease was lost before: nothing was written down. */
  'callback.fenced': { ...callback, phase: 'code', attempt: 'number' },
  'callback.looked_up': { ...callback, outcome: 'code', reason: 'code', status: 'number', attempt: 'number' },
  'callbacks.reconciled': { count: 'number', durationMs: 'number' },
  'callbacks.expired': { count: 'number' },
  /** The config, or a file, gives a secret that was retired: what signs is another one. */
  'signing_secret.outdated': { service: 'name' },
  'notification.decided': notification,
  'notification.sent': { ...notification, ...sending },
  'notification.retried': { ...notification, ...sending, reason: 'code' },
  'notification.given_up': { ...notification, ...sending, reason: 'code' },
  /** Something in its words looked like a secret and was blacked out: a mistake of ours, or a device named by its token. */
  'notification.scrubbed': { notification: 'id', channel: 'name', count: 'number' },
  /** No route of the config tells anybody of it, at whatever hour. */
  'notification.unrouted': { incident: 'id', severity: 'code' },
  /** They waited for a channel that the config no longer names. */
  'notification.dropped': { count: 'number' },
  /** The newest row of the audit trail: kept here, it shows whether rows were cut off since. */
  'audit.head': { seq: 'number', mac: 'id' },
  'override.ended': { incident: 'id', groups: 'number' },
  'session.started': { key: 'id' },
  'session.refused': { reason: 'code' },
  'keyring.reloaded': { fingerprintVersion: 'number', recipient: 'id' },
  'keyring.unreadable': { error: 'error' },
  /** Nobody is told that all is well, for it is not; said once per reason. */
  'dead_man.withheld': { reason: 'code' },
  'dead_man.failed': { reason: 'code', status: 'number', durationMs: 'number' },
  /** Said once until spans are taken again. */
  'traces.dropped': { count: 'number', reason: 'code', status: 'number' },
  'queue.unavailable': { room: 'code', error: 'error', code: 'code' },
  'store.unavailable': { operation: 'code', error: 'error', code: 'code' },
  'stream.broken': { error: 'error' },
  'stream.ended': { reason: 'code', count: 'number', durationMs: 'number' },
  'request.failed': { method: 'code', route: 'route', status: 'number', code: 'code', error: 'error' },
  'retention.finished': {
    observations: 'number',
    deliveries: 'number',
    months: 'number',
    verifications: 'number',
    incidents: 'number',
    events: 'number',
    callbacks: 'number',
    emptied: 'number',
    quarantine: 'number',
    dataKeys: 'number',
    other: 'number',
    durationMs: 'number',
  },
  'sweep.finished': { room: 'code', found: 'number', rearmed: 'number', durationMs: 'number' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldKind>>>>;

export type LogEvent = keyof typeof EVENT_CATALOG;

interface FieldValues {
  code: string | null;
  version: string;
  id: string | null;
  route: string;
  name: string | null;
  number: number | null;
  flag: boolean;
  error: unknown;
}

/** The fields of one event, all optional; the type checker refuses others, and the logger drops what slips through. */
export type LogFields<E extends LogEvent> = {
  readonly [F in keyof (typeof EVENT_CATALOG)[E]]?:
    | FieldValues[(typeof EVENT_CATALOG)[E][F] & keyof FieldValues]
    | undefined;
};
