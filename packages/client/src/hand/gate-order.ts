import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';

/** Why a person decides something; kept in the audit trail and shown to others. */
export const reasonSchema = z.string().min(1).max(200);

/** To hold a gate, or to force it open: why, and for how long. */
export const gateOrderSchema = z.strictObject({ reason: reasonSchema, for: durationSchema });
export type GateOrder = z.output<typeof gateOrderSchema>;

/** To take a hold or a forced opening back. */
export const gateReleaseSchema = z.strictObject({ reason: reasonSchema.optional() });
export type GateRelease = z.output<typeof gateReleaseSchema>;
