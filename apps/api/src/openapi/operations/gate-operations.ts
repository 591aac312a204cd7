import { gateQuery, gatesQuery } from '../../gate/gate-query.ts';
import { EXAMPLE, type Operation } from '../operation.ts';

const HOLD = ['incidents:write', 'gate:override'] as const;
const GATE = { status: 200, description: 'The gate as it is then.', schema: 'Gate' } as const;

export const GATE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/gates/:service',
    id: 'readGate',
    tag: 'gates',
    summary: 'May a callback of this service be sent now?',
    description:
      'The answer may be acted on until `validUntil`; whatever cannot be read as `allowed` means held. With `wait` the answer comes once it differs from what the caller knows.',
    scopes: ['gate:read'],
    query: gateQuery,
    headers: [
      {
        name: 'If-None-Match',
        required: false,
        description: 'The ETag of the last answer; then 304 if it still holds.',
      },
    ],
    answer: { ...GATE, description: 'The gate now.', headers: { ETag: 'For `If-None-Match`.' }, conditional: true },
    problems: [404],
    example: { path: `/v1/gates/${EXAMPLE.service}` },
  },
  {
    method: 'get',
    path: '/v1/gates/:service/events',
    id: 'followGate',
    tag: 'gates',
    summary: 'A gate as server-sent events',
    description: [
      'Each message is the gate: the first as it is now, then whenever it changes, and an allowed one every two seconds, since its',
      'lease has to be renewed. A stream that ends says nothing more: the gate counts as held once `validUntil` is over. `closed` is the',
      'last message of one that is ended here; connect again, and expect 401 if the key was revoked, or 404 if the service is gone.',
    ].join(' '),
    scopes: ['gate:read'],
    answer: {
      status: 200,
      description: 'A stream; the data of each message without a name is:',
      schema: 'Gate',
      mediaType: 'text/event-stream',
      messages: { closed: 'EventsClosed' },
    },
    problems: [404],
    example: { path: `/v1/gates/${EXAMPLE.service}/events` },
  },
  {
    method: 'get',
    path: '/v1/gates',
    id: 'listGates',
    tag: 'gates',
    summary: 'Several gates at once',
    scopes: ['gate:read'],
    query: gatesQuery,
    answer: {
      status: 200,
      description: 'Gates by name; one that is absent is unknown, which means held.',
      schema: 'GateList',
    },
    example: { path: `/v1/gates?service=${EXAMPLE.service}` },
  },
  {
    method: 'post',
    path: '/v1/gates/:service/hold',
    id: 'holdGate',
    tag: 'gates',
    summary: 'Hold a gate by hand',
    description: 'Nothing opens it until this is taken back or its time is over.',
    scopes: HOLD,
    body: { schema: 'GateOrder', required: true },
    answer: GATE,
    problems: [404, 413, 415],
    example: { path: `/v1/gates/${EXAMPLE.service}/hold`, body: { reason: 'Moving the rack.', for: '30m' } },
  },
  {
    method: 'post',
    path: '/v1/gates/:service/release',
    id: 'releaseGate',
    tag: 'gates',
    summary: 'Take a hold or a forced opening back',
    description: 'The gate is held until verification has passed.',
    scopes: HOLD,
    body: { schema: 'GateRelease', required: true },
    answer: GATE,
    problems: [404, 409, 413, 415],
    example: { path: `/v1/gates/${EXAMPLE.service}/release`, body: { reason: 'The rack has moved.' } },
  },
  {
    method: 'post',
    path: '/v1/gates/:service/force-open',
    id: 'forceOpenGate',
    tag: 'gates',
    summary: 'Force a gate open, without a verification',
    description:
      'Nothing shuts it until this is taken back or its time is over, not even a Disconnected. Callbacks that waited for it go.',
    scopes: ['gate:override'],
    body: { schema: 'GateOrder', required: true },
    answer: GATE,
    problems: [404, 413, 415],
    example: {
      path: `/v1/gates/${EXAMPLE.service}/force-open`,
      body: { reason: 'The probe itself is broken.', for: '15m' },
    },
  },
];
