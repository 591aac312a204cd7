/** How much an incident matters to who is called: routes and pagers sort by it. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a notification is for. `test` is asked for by a person and is about nothing. */
export type NotificationKind = 'open' | 'update' | 'needs_review' | 'resolve' | 'test';

/** `superseded`: overtaken by a newer one before it could be delivered. `failed`: given up, and shown as such. */
export type NotificationState = 'pending' | 'sending' | 'sent' | 'failed' | 'superseded';

/**
 * The words and facts of one notification, frozen when it is decided, so that a retry says the same. Made of aliases, config
 * names, sanitised names and sentences of ours only, so it may be stored in plain columns.
 */
export interface NotificationMessage {
  readonly kind: NotificationKind;
  /** What it is about, the same from its opening to its end: receivers deduplicate by it. An incident's id, or `rev_…`. */
  readonly thread: string;
  /** One line. */
  readonly title: string;
  /** Sentences, each a line. */
  readonly lines: readonly string[];
  readonly severity: Severity;
  /** The severity it was opened with: what a receiver tells alerts apart by must not change. */
  readonly openedSeverity: Severity;
  /** Alias of the device or tunnel, or name of the source group. */
  readonly group: string;
  /** The first of them, by name. */
  readonly services: readonly string[];
  readonly servicesInAll: number;
  readonly startedAt: string;
  /** Null while it goes on. */
  readonly endedAt: string | null;
  readonly acknowledged: boolean;
  readonly decidedAt: string;
  /** The incident's page, where `notify.pageUrl` says how to reach it. */
  readonly link: string | null;
}
