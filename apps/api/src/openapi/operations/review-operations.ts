import { reviewsQuery } from '../../review/review-routes.ts';
import { EXAMPLE, type Operation } from '../operation.ts';

const SCOPES = ['callbacks:review'] as const;
const REVIEW = { status: 200, description: 'The review as it is then.', schema: 'Review' } as const;
const ON_ORDER = [404, 409, 413, 415] as const;

export const REVIEW_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/reviews',
    id: 'listReviews',
    tag: 'callbacks',
    summary: 'Callbacks that wait for a person, newest first',
    scopes: SCOPES,
    query: reviewsQuery,
    answer: { status: 200, description: 'A page of callbacks.', schema: 'CallbackPage' },
    example: { path: `/v1/reviews?service=${EXAMPLE.service}` },
  },
  {
    method: 'get',
    path: '/v1/reviews/:id',
    id: 'readReview',
    tag: 'callbacks',
    summary: 'The evidence about one: attempts, reconciliation, earlier decisions, payload hash',
    description: 'The id is that of the callback, which waits for a person or was decided on by one.',
    scopes: SCOPES,
    answer: { ...REVIEW, description: 'The review.' },
    problems: [404],
    example: { path: `/v1/reviews/${EXAMPLE.callback}` },
  },
  {
    method: 'post',
    path: '/v1/reviews/:id/approve',
    id: 'approveCallback',
    tag: 'callbacks',
    summary: 'Let it out once more, though it may have happened',
    description: [
      'One attempt, as soon as the gate is open, for the payload whose hash is named and no other; an hour unless `for` says otherwise.',
      'A passed deadline is a 409.',
    ].join(' '),
    scopes: SCOPES,
    body: { schema: 'Approval', required: true },
    answer: REVIEW,
    problems: ON_ORDER,
    example: {
      path: `/v1/reviews/${EXAMPLE.callback}/approve`,
      body: { reason: 'Not in their books.', payloadHash: EXAMPLE.payloadHash, for: '30m' },
    },
  },
  {
    method: 'post',
    path: '/v1/reviews/:id/deny',
    id: 'denyCallback',
    tag: 'callbacks',
    summary: 'Do not send it again; it ends as failed',
    scopes: SCOPES,
    body: { schema: 'CallbackOrder', required: true },
    answer: REVIEW,
    problems: ON_ORDER,
    example: { path: `/v1/reviews/${EXAMPLE.callback}/deny`, body: { reason: 'They will ask again themselves.' } },
  },
  {
    method: 'post',
    path: '/v1/reviews/:id/complete',
    id: 'completeCallback',
    tag: 'callbacks',
    summary: 'It happened; it ends as delivered',
    scopes: SCOPES,
    body: { schema: 'CallbackOrder', required: true },
    answer: REVIEW,
    problems: ON_ORDER,
    example: { path: `/v1/reviews/${EXAMPLE.callback}/complete`, body: { reason: 'Seen in their books.' } },
  },
];
