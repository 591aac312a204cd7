import type { Observation, Service, Source, Subject } from '@tidegate/client';
import { EXAMPLE } from '../operation.ts';
import { DEVICE, GATE, TUNNEL } from './incident-examples.ts';

export const SERVICE: Service = {
  name: EXAMPLE.service,
  source: 'home-lab',
  group: 'home-lab',
  device: DEVICE,
  tunnel: TUNNEL,
  policy: 'default',
  probes: ['local_liveness', 'device', 'tunnel', 'public', 'application'],
  gate: GATE,
  lastVerification: {
    id: 'ver_7c1q9m4xk2thz8w5d3fj6n0r',
    startedAt: '2026-03-14T01:18:05.120Z',
    verdict: 'device_offline',
    firstBroken: 'device',
    overtaken: false,
  },
  createdAt: '2026-02-02T09:30:00.000Z',
};

export const SOURCE: Source = {
  name: 'home-lab',
  group: 'home-lab',
  timeZone: 'UTC',
  watch: 'linked',
  createdAt: '2026-02-02T09:30:00.000Z',
  lastSeenAt: '2026-03-14T01:17:21.970Z',
  deliveries: { recorded: 4120, repeated: 3, malformed: 1 },
};

export const SUBJECT: Subject = {
  alias: DEVICE,
  type: 'device',
  group: 'home-lab',
  name: 'mac-mini',
  tunnelId: null,
  device: null,
  status: 'disconnected',
  suspect: false,
  services: [EXAMPLE.service],
  firstSeenAt: '2026-02-02T09:31:12.004Z',
  changedAt: '2026-03-14T01:17:21.988Z',
};

export const OBSERVATION: Observation = {
  id: 'obs_5d1f0c93b7a84e62a1c4d8e9f0b27365',
  subject: DEVICE,
  name: 'mac-mini',
  type: 'device',
  status: 'disconnected',
  source: 'home-lab',
  actionDate: '2026-03-14T01:17:20.1234567Z',
  trusted: true,
  receivedAt: '2026-03-14T01:17:21.970Z',
  deliveries: 1,
};
