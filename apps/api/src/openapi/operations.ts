import type { Operation } from './operation.ts';
import { CALLBACK_OPERATIONS } from './operations/callback-operations.ts';
import { GATE_OPERATIONS } from './operations/gate-operations.ts';
import { INCIDENT_OPERATIONS } from './operations/incident-operations.ts';
import { INVENTORY_OPERATIONS } from './operations/inventory-operations.ts';
import { NOTIFICATION_OPERATIONS } from './operations/notification-operations.ts';
import { OTHER_OPERATIONS } from './operations/other-operations.ts';
import { REVIEW_OPERATIONS } from './operations/review-operations.ts';

/** Every route that is not a page. */
export const OPERATIONS: readonly Operation[] = [
  ...INCIDENT_OPERATIONS,
  ...GATE_OPERATIONS,
  ...CALLBACK_OPERATIONS,
  ...REVIEW_OPERATIONS,
  ...INVENTORY_OPERATIONS,
  ...NOTIFICATION_OPERATIONS,
  ...OTHER_OPERATIONS,
];
