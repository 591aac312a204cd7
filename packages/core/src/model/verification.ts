/** The six probe layers in dependency order: the first that fails names the outage. */
export const LAYERS = ['local_liveness', 'local_readiness', 'device', 'tunnel', 'public', 'application'] as const;
export type Layer = (typeof LAYERS)[number];

/** `unknown` means the question could not be put, never that the answer was bad. */
export type LayerOutcome = 'pass' | 'fail' | 'unknown' | 'skipped';

/** The named reason of a layer's outcome; also the metric label. */
export type LayerReason =
  | 'ok'
  | 'not_configured'
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'dns'
  | 'tls'
  | 'address_denied'
  | 'redirected'
  | 'status_mismatch'
  | 'body_mismatch'
  | 'body_too_large'
  | 'nonce_missing'
  | 'interstitial'
  | 'edge_error'
  | 'degraded'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'server_error'
  | 'malformed'
  | 'unreachable'
  | 'client_offline'
  | 'tunnel_stopped'
  | 'tunnel_not_connected'
  | 'not_linked'
  | 'reporter_silent'
  | 'control_failed';

export interface LayerResult {
  readonly layer: Layer;
  readonly outcome: LayerOutcome;
  readonly reason: LayerReason;
  /** Milliseconds from the start of the probe; null when nothing was sent. */
  readonly latencyMs: number | null;
  /** One redacted sentence for a person; never holds a header, body, credential or full URL. */
  readonly detail: string;
}

/** First broken layer in dependency order, or `healthy`, or `inconclusive` when nothing failed and nothing proved health. */
export type Verdict =
  | 'device_offline'
  | 'tunnel_stopped'
  | 'agent_down'
  | 'agent_not_ready'
  | 'public_path_broken'
  | 'access_denied'
  | 'app_check_failed'
  | 'healthy'
  | 'inconclusive';
