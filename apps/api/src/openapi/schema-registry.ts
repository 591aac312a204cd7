import {
  acceptedCallbackSchema,
  acknowledgeRequestSchema,
  approvalSchema,
  blipPageSchema,
  blipSchema,
  callbackDetailSchema,
  callbackOrderSchema,
  callbackPageSchema,
  callbackRequestSchema,
  callbackSchema,
  channelPageSchema,
  channelSchema,
  eventsClosedSchema,
  eventsReadySchema,
  eventsResetSchema,
  gateListSchema,
  gateOrderSchema,
  gateReleaseSchema,
  gateSchema,
  incidentDetailSchema,
  incidentEventSchema,
  incidentPageSchema,
  incidentSchema,
  noteRequestSchema,
  notificationPageSchema,
  notificationSchema,
  observationPageSchema,
  observationSchema,
  problemSchema,
  reconciliationDetailSchema,
  reconciliationPageSchema,
  reconciliationSchema,
  resolveRequestSchema,
  reviewSchema,
  servicePageSchema,
  serviceSchema,
  silencePageSchema,
  silenceRequestSchema,
  silenceSchema,
  sourcePageSchema,
  sourceSchema,
  subjectPageSchema,
  subjectSchema,
  verificationSchema,
} from '@tidegate/client';
import { z } from 'zod';

/** The schemas of the contract under the names the document gives them. */
export const SCHEMAS = {
  Problem: problemSchema,
  Incident: incidentSchema,
  IncidentPage: incidentPageSchema,
  IncidentDetail: incidentDetailSchema,
  IncidentEvent: incidentEventSchema,
  EventsReady: eventsReadySchema,
  EventsReset: eventsResetSchema,
  EventsClosed: eventsClosedSchema,
  Verification: verificationSchema,
  AcknowledgeRequest: acknowledgeRequestSchema,
  NoteRequest: noteRequestSchema,
  ResolveRequest: resolveRequestSchema,
  Gate: gateSchema,
  GateList: gateListSchema,
  GateOrder: gateOrderSchema,
  GateRelease: gateReleaseSchema,
  Callback: callbackSchema,
  CallbackPage: callbackPageSchema,
  CallbackDetail: callbackDetailSchema,
  CallbackRequest: callbackRequestSchema,
  AcceptedCallback: acceptedCallbackSchema,
  CallbackOrder: callbackOrderSchema,
  Review: reviewSchema,
  Approval: approvalSchema,
  Reconciliation: reconciliationSchema,
  ReconciliationPage: reconciliationPageSchema,
  ReconciliationDetail: reconciliationDetailSchema,
  Silence: silenceSchema,
  SilencePage: silencePageSchema,
  SilenceRequest: silenceRequestSchema,
  Notification: notificationSchema,
  NotificationPage: notificationPageSchema,
  Channel: channelSchema,
  ChannelPage: channelPageSchema,
  Blip: blipSchema,
  BlipPage: blipPageSchema,
  Service: serviceSchema,
  ServicePage: servicePageSchema,
  Source: sourceSchema,
  SourcePage: sourcePageSchema,
  Subject: subjectSchema,
  SubjectPage: subjectPageSchema,
  Observation: observationSchema,
  ObservationPage: observationPageSchema,
  Health: z.object({ status: z.literal('ok').describe('It answers.') }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
export type SchemaName = keyof typeof SCHEMAS;

/** A JSON Schema as far as we look into it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: boolean | JsonSchema;
}

export const refTo = (name: SchemaName): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/**
 * The contract as JSON Schemas that refer to each other. As what is sent: a reader takes more than it knows, so objects of answers
 * stay open, while those of requests are closed by their own schemas.
 */
export function toJsonSchemas(): Readonly<Record<SchemaName, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: simplify,
  });
  const bare = Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]);
  return Object.fromEntries(bare);
}

/** One schema that stands alone, as of a query. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...bare } = z.toJSONSchema(schema, { io: 'input', override: simplify });
  return bare as JsonSchema;
}

/** What only repeats the format or the limits of JSON numbers is noise to a reader. */
function simplify({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  delete jsonSchema.propertyNames;
}
