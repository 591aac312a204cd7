import type { NotificationMessage } from '@tidegate/core';

/** Where a channel leads and how we prove who we are there. All of it is secret: never in a log, an error or an answer. */
export type NotifyTarget = HttpTarget | MailTarget;

export type HttpTarget =
  | { readonly type: 'webhook'; readonly url: string; readonly signingSecret: string }
  | { readonly type: 'slack'; readonly url: string }
  | { readonly type: 'discord'; readonly url: string }
  | { readonly type: 'pagerduty'; readonly url: string; readonly routingKey: string }
  | {
      readonly type: 'alertmanager';
      readonly url: string;
      readonly authorization: string | null;
      readonly repeatEveryMs: number;
    }
  | { readonly type: 'ntfy'; readonly url: string; readonly topic: string; readonly token: string | null };

export interface MailTarget {
  readonly type: 'smtp';
  readonly host: string;
  readonly port: number;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
  readonly to: readonly string[];
}

const LONG_PART = 16;

/** The values of a target that must not be said to anybody, its own receiver included. */
export function secretsOf(target: NotifyTarget): string[] {
  const { type: _type, ...fields } = target;
  const named = fields as Readonly<Record<string, unknown>>;
  return ['url', 'signingSecret', 'routingKey', 'authorization', 'topic', 'token', 'password'].flatMap((key) => {
    const value = named[key];
    if (typeof value !== 'string') return [];
    return key === 'url' ? partsOf(value) : [value, ...bareOf(value)];
  });
}

/** A secret is one without what stands before it, too: `Bearer x`, `whsec_x`. */
function bareOf(value: string): string[] {
  const bare = value.replace(/^(?:whsec_|\S+\s+)/, '');
  return bare === value ? [] : [bare];
}

/** Of a URL its path, query and long segments too: each is the secret of an incoming webhook by itself. */
function partsOf(url: string): string[] {
  if (!URL.canParse(url)) return [url];
  const { pathname, search } = new URL(url);
  return [url, ...[pathname, ...pathname.split('/'), search].filter((part) => part.length >= LONG_PART)];
}

/** One notification of the ledger. */
export interface Outgoing {
  /** The same at each attempt: what a receiver knows a repeat by. */
  readonly id: string;
  readonly message: NotificationMessage;
}

/** How one attempt to notify went. `reached`: the receiver may have it, although it did not say so. */
export type NotifyOutcome = {
  readonly reason: string;
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  readonly latencyMs: number;
  /** Places that the scrubber blacked out: a mistake of ours, to be told loudly. */
  readonly scrubbed: number;
} & (
  | { readonly result: 'delivered' }
  | { readonly result: 'retry'; readonly reached: boolean; readonly retryAfterMs: number | null }
  | { readonly result: 'refused' }
);
