import type { CallbackState, GateState, IncidentKind, IncidentState, Layer, LayerOutcome } from '@tidegate/core';

// The words that headings and tables of the pages use for the codes of the model.

/** In the order in which one stands on another: the first that fails is the one a verdict names. */
export const CHAIN: readonly Layer[] = [
  'device',
  'tunnel',
  'local_liveness',
  'local_readiness',
  'public',
  'application',
];

export const LAYER_LABELS: Record<Layer, string> = {
  device: 'Device',
  tunnel: 'Tunnel',
  local_liveness: 'Liveness',
  local_readiness: 'Readiness',
  public: 'Public path',
  application: 'Application',
};

export const OUTCOME_LABELS: Record<LayerOutcome, string> = {
  pass: 'works',
  fail: 'broken',
  unknown: 'not known',
  skipped: 'not checked',
};

export const KIND_LABELS: Record<IncidentKind, string> = {
  device: 'Device outage',
  tunnel: 'Tunnel outage',
  application: 'Application failure',
  mass: 'Outage of many devices',
  flapping: 'Unstable connection',
};

export const INCIDENT_LABELS: Record<IncidentState, string> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
};

export const GATE_LABELS: Record<GateState, string> = {
  open: 'Open',
  held: 'Held',
  verifying: 'Verifying',
  releasing: 'Releasing',
};

export const CALLBACK_LABELS: Record<CallbackState, string> = {
  queued: 'Queued',
  held: 'Held',
  sending: 'Being sent',
  delivered: 'Delivered',
  retrying: 'To be tried again',
  ambiguous: 'Outcome not known yet',
  needs_review: 'Needs review',
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
};
