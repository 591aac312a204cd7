/** What a person did, or what a key was used for; each has one row in the audit trail. */
export type AuditAction =
  | 'gate.hold'
  | 'gate.force_open'
  | 'gate.release'
  | 'gate.hand_expired'
  | 'incident.acknowledge'
  | 'incident.note'
  | 'incident.resolve'
  | 'incident.override'
  | 'callback.approve'
  | 'callback.deny'
  | 'callback.complete'
  | 'callback.cancel'
  | 'callback.redrive'
  | 'silence.add'
  | 'silence.end'
  | 'source.add'
  | 'source.rotate'
  | 'source.finish_rotation'
  | 'source.cancel_rotation'
  | 'source.remove'
  | 'signing_secret.rotate'
  | 'signing_secret.retire'
  | 'signing_secret.show'
  | 'receiver.retire'
  | 'key.create'
  | 'key.revoke'
  | 'session.start'
  | 'session.end'
  | 'vault.rotate'
  | 'vault.rewrap'
  | 'vault.retire'
  | 'vault.reveal'
  | 'quarantine.show'
  | 'quarantine.replay';

/** Flat on purpose: what is in a row must read the same in the store, in the log and in the chain. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null>>;

/** What happened, before it has a place in the trail. Names and reasons are sanitised; none holds a secret (I3). */
export interface AuditEntry {
  /** Who: the name of an API key, `cli:` and the user of the machine, or `tidegate` itself. */
  readonly actor: string;
  readonly action: AuditAction;
  /** What it was done to: a service, an id, an alias. */
  readonly target: string;
  readonly reason: string | null;
  readonly facts: AuditFacts;
}

/** A row as its MAC covers it. `seq` counts from 1 without a gap. */
export interface AuditRow extends AuditEntry {
  readonly seq: number;
  /** RFC 3339 in UTC with six decimals: exactly what Postgres keeps. */
  readonly at: string;
}

/** A row as it is stored: its MAC covers the row and the MAC of the row before. */
export interface ChainedAuditRow extends AuditRow {
  readonly mac: Uint8Array;
}

/** The newest row of a trail. Whoever knows an older one can tell whether rows were cut off since. */
export interface AuditHead {
  readonly seq: number;
  readonly mac: Uint8Array;
}

/** Makes the MAC of a row that follows one with the MAC `previous` (null for the first). */
export type SignAudit = (row: AuditRow, previous: Uint8Array | null) => Uint8Array;
