import type { RetryConfig } from './retry-config.ts';

/** Who is told of incidents, where, and when. */
export interface NotifyConfig {
  readonly channels: readonly ChannelConfig[];
  readonly routes: readonly RouteConfig[];
  /** At least so long between an update and what was told before it. */
  readonly groupUpdatesMs: number;
  /** Where people reach the page; null leaves links out. */
  readonly pageUrl: string | null;
  readonly allowPrivate: readonly string[];
  readonly retry: RetryConfig;
}

export interface ChannelConfig {
  readonly name: string;
  readonly type: ChannelTarget['type'];
  /** Where it leads (worker only): a secret as a whole. */
  readonly target: ChannelTarget | null;
}

export type ChannelTarget =
  | { readonly type: 'webhook'; readonly url: string; readonly signingSecret: string }
  | { readonly type: 'slack' | 'discord'; readonly url: string }
  | { readonly type: 'pagerduty'; readonly url: string; readonly routingKey: string }
  | {
      readonly type: 'alertmanager';
      readonly url: string;
      readonly authorization: string | null;
      readonly repeatEveryMs: number;
    }
  | { readonly type: 'ntfy'; readonly url: string; readonly topic: string; readonly token: string | null }
  | {
      readonly type: 'smtp';
      readonly host: string;
      readonly port: number;
      readonly security: 'starttls' | 'tls' | 'none';
      readonly user: string | null;
      readonly password: string | null;
      readonly from: string;
      readonly to: readonly string[];
    };

export interface RouteConfig {
  readonly channels: readonly string[];
  readonly severities: readonly ('critical' | 'warning' | 'info')[];
  /** Null for all. */
  readonly services: readonly string[] | null;
  /** Null for always. */
  readonly during: readonly WindowConfig[] | null;
}

interface WindowConfig {
  readonly days: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly timeZone: string;
}
