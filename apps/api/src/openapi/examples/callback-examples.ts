import type {
  AcceptedCallback,
  Callback,
  CallbackDetail,
  Reconciliation,
  ReconciliationDetail,
  Review,
} from '@tidegate/client';
import { EXAMPLE } from '../operation.ts';

const { service } = EXAMPLE;

export const CALLBACK: Callback = {
  id: EXAMPLE.callback,
  service,
  state: 'held',
  reason: 'gate_held',
  method: 'POST',
  origin: 'https://hooks.example.org',
  safety: 'unsafe',
  repeat: 'deduplicated',
  attempts: 0,
  createdAt: '2026-03-14T01:17:50.210Z',
  dueAt: null,
  finishedAt: null,
};

export const ACCEPTED: AcceptedCallback = { ...CALLBACK, idempotencyKey: '9b2f7c1e-order-1841' };

const FOUND = {
  outcome: 'ambiguous',
  reason: 'outcome_unknown',
  action: 'review',
  decidedAt: '2026-03-14T01:31:02.118Z',
} as const;

const TRIED = {
  number: 1,
  startedAt: '2026-03-14T01:17:21.870Z',
  finishedAt: '2026-03-14T01:17:31.874Z',
  phase: 'maybe_received',
  status: null,
  reason: 'outcome_unknown',
  latencyMs: 10_004,
  disprovedAt: null,
} as const;

export const CALLBACK_DETAIL: CallbackDetail = {
  ...CALLBACK,
  state: 'needs_review',
  reason: 'outcome_unknown',
  repeat: 'forbidden',
  attempts: 1,
  deadlineAt: '2026-03-15T00:00:00.000Z',
  reconciliation: { id: EXAMPLE.reconciliation, ...FOUND },
  tries: [TRIED],
};

export const REVIEW: Review = {
  ...CALLBACK_DETAIL,
  payloadHash: EXAMPLE.payloadHash,
  unknownSince: TRIED.finishedAt,
  decisions: [
    {
      decision: 'approve',
      actor: 'ann-phone',
      reason: 'Not in their books.',
      decidedAt: '2026-03-14T07:40:12.900Z',
      expiresAt: '2026-03-14T08:10:12.900Z',
      usedAt: null,
    },
  ],
};

export const RECONCILIATION: Reconciliation = {
  id: EXAMPLE.reconciliation,
  service,
  generation: 7,
  trigger: 'release',
  startedAt: '2026-03-14T01:31:02.101Z',
  complete: 2,
  notStarted: 3,
  ambiguous: 1,
};

export const RECONCILIATION_DETAIL: ReconciliationDetail = {
  ...RECONCILIATION,
  items: [{ callback: EXAMPLE.callback, state: 'needs_review', ...FOUND }],
  nextCursor: null,
};
