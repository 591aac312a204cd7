import type {
  Blip,
  Channel,
  EventsClosed,
  EventsReady,
  EventsReset,
  Gate,
  Incident,
  IncidentDetail,
  IncidentEvent,
  Notification,
  Silence,
  Verification,
} from '@tidegate/client';
import { EXAMPLE } from '../operation.ts';

const { service } = EXAMPLE;
export const DEVICE = 'dev_k3v9x1q7m2hd8t5w';
export const TUNNEL = 'tun_p6r4n8c2z7jf3y9b';
const group = { alias: DEVICE, name: 'mac-mini' };

const VERIFICATION: Verification = {
  id: 'ver_7c1q9m4xk2thz8w5d3fj6n0r',
  service,
  startedAt: '2026-03-14T01:18:05.120Z',
  verdict: 'device_offline',
  firstBroken: 'device',
  runbook: 'Check that the device has power and internet, then restart its Localtonet client.',
  overtaken: false,
  layers: [
    {
      layer: 'device',
      outcome: 'fail',
      reason: 'client_offline',
      latencyMs: 84,
      detail: 'Localtonet says the device is offline.',
    },
    { layer: 'application', outcome: 'skipped', reason: 'not_configured', latencyMs: null, detail: 'Not configured.' },
  ],
};

export const INCIDENT: Incident = {
  id: EXAMPLE.incident,
  kind: 'device',
  state: 'open',
  group,
  services: [service],
  openedAt: '2026-03-14T01:17:42.031Z',
  since: '2026-03-14T01:17:42.031Z',
  resolvedAt: null,
  reopened: 0,
  summary: `Device "mac-mini" is disconnected; held: ${service}.`,
  firstBroken: 'device',
};

export const INCIDENT_DETAIL: IncidentDetail = {
  ...INCIDENT,
  resolvedBy: null,
  mergedInto: null,
  nextStep: { firstBroken: 'device', step: VERIFICATION.runbook },
  timeline: [
    {
      at: INCIDENT.openedAt,
      event: 'incident.opened',
      why: 'Opened as a device outage, around the device "mac-mini".',
    },
    {
      at: '2026-03-14T01:18:05.120Z',
      event: 'verification.failed',
      why: `Verification of ${service} failed at the device layer: the device is offline.`,
    },
  ],
  verifications: [VERIFICATION],
  flapping: null,
  callbacks: { held: 3, ambiguous: 1, needsReview: 0, delivered: 0 },
};

export const EVENT: IncidentEvent = {
  number: 1841,
  event: 'gate.held',
  at: '2026-03-14T01:17:21.988Z',
  incident: null,
  service,
  services: [service],
  callback: null,
  reason: 'disconnected',
  why: `The gate of ${service} was held, because a disconnect was received.`,
};
export const READY: EventsReady = { number: 1840 };
export const RESET: EventsReset = { reason: 'too_old', number: 1840 };
export const CLOSED: EventsClosed = { reason: 'stopping' };

export const BLIP: Blip = {
  id: '412',
  group,
  services: [service],
  firstAt: '2026-03-13T22:04:10.412Z',
  lastAt: '2026-03-13T22:04:16.930Z',
  observations: 2,
  recordedAt: '2026-03-13T22:04:30.501Z',
};

export const SILENCE: Silence = {
  id: EXAMPLE.silence,
  scope: 'service',
  target: service,
  actor: 'ann-phone',
  reason: 'Moving the rack.',
  createdAt: '2026-03-14T08:00:00.000Z',
  expiresAt: '2026-03-14T10:00:00.000Z',
  endedAt: null,
  live: true,
};

export const NOTIFICATION: Notification = {
  id: 'ntf_2h7d4w9k1xq5z8c3m6t0vbrj',
  incident: EXAMPLE.incident,
  channel: 'pager',
  kind: 'open',
  state: 'sent',
  severity: 'critical',
  title: `Device offline: ${service}`,
  services: [service],
  decidedAt: '2026-03-14T01:17:42.040Z',
  attempts: 1,
  dueAt: null,
  endedAt: '2026-03-14T01:17:42.377Z',
  status: 202,
  reason: 'answered',
};

export const CHANNEL: Channel = {
  name: 'pager',
  type: 'pagerduty',
  failures: 0,
  pausedUntil: null,
  lastSentAt: '2026-03-14T01:17:42.377Z',
  lastFailedAt: null,
  lastReason: null,
  lastStatus: null,
  waiting: 0,
  oldestWaitingMs: null,
  givenUp: 0,
};

export const GATE: Gate = {
  service,
  decision: 'held',
  state: 'held',
  reason: 'disconnected',
  generation: 7,
  since: '2026-03-14T01:17:21.988Z',
  validUntil: '2026-03-14T01:18:30.004Z',
  incident: EXAMPLE.incident,
};
