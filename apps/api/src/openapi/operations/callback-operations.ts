import { callbackStateSchema, serviceNameSchema } from '@tidegate/client';
import { z } from 'zod';
import { pageQuery } from '../../query/page-query.ts';
import { EXAMPLE, type Operation } from '../operation.ts';

const READ = ['callbacks:write', 'callbacks:review'] as const;

export const CALLBACK_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/callbacks',
    id: 'handOverCallback',
    tag: 'callbacks',
    summary: 'Hand a callback over, to be sent when it is safe',
    description:
      'The same key with the same payload answers with what became of the first; the same key with another payload is refused. URL, headers, body and key are sealed, and no answer repeats them.',
    scopes: ['callbacks:write'],
    headers: [
      {
        name: 'Idempotency-Key',
        required: true,
        description: '1 to 255 characters, quoted or bare; sent on with every attempt.',
      },
    ],
    body: { schema: 'CallbackRequest', required: true },
    answer: { status: 201, description: 'It was recorded, now or before.', schema: 'AcceptedCallback' },
    problems: [409, 413, 415, 422],
    example: {
      path: '/v1/callbacks',
      headers: { 'idempotency-key': '9b2f7c1e-order-1841' },
      body: {
        service: EXAMPLE.service,
        url: 'https://hooks.example.org/orders/1841',
        method: 'POST',
        body: { status: 'done' },
        safety: 'unsafe',
        repeat: 'deduplicated',
      },
    },
  },
  {
    method: 'get',
    path: '/v1/callbacks',
    id: 'listCallbacks',
    tag: 'callbacks',
    summary: 'Callbacks, newest first',
    scopes: READ,
    query: z.strictObject({
      ...pageQuery,
      service: serviceNameSchema.optional(),
      state: callbackStateSchema.optional(),
    }),
    answer: { status: 200, description: 'A page of callbacks.', schema: 'CallbackPage' },
    example: { path: `/v1/callbacks?service=${EXAMPLE.service}&state=held` },
  },
  {
    method: 'get',
    path: '/v1/callbacks/:id',
    id: 'readCallback',
    tag: 'callbacks',
    summary: 'One callback with every attempt',
    scopes: READ,
    answer: { status: 200, description: 'The callback.', schema: 'CallbackDetail' },
    problems: [404],
    example: { path: `/v1/callbacks/${EXAMPLE.callback}` },
  },
  {
    method: 'get',
    path: '/v1/reconciliations',
    id: 'listReconciliations',
    tag: 'callbacks',
    summary: 'Sortings of callbacks after an outage, newest first',
    scopes: READ,
    query: z.strictObject({ ...pageQuery, service: serviceNameSchema.optional() }),
    answer: { status: 200, description: 'A page of reconciliations.', schema: 'ReconciliationPage' },
    example: { path: `/v1/reconciliations?service=${EXAMPLE.service}` },
  },
  {
    method: 'get',
    path: '/v1/reconciliations/:id',
    id: 'readReconciliation',
    tag: 'callbacks',
    summary: 'One sorting: what completed, what never started, and what nobody knows',
    scopes: READ,
    query: z.strictObject(pageQuery),
    answer: {
      status: 200,
      description: 'The reconciliation with a page of its callbacks.',
      schema: 'ReconciliationDetail',
    },
    problems: [404],
    example: { path: `/v1/reconciliations/${EXAMPLE.reconciliation}` },
  },
];
