export { instantSchema } from './answer/instant.ts';
export { PAGE_LIMIT } from './answer/page.ts';
export {
  type FieldProblem,
  fieldProblemSchema,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  problemSchema,
} from './answer/problem.ts';
export { SCOPES, type Scope, scopeSchema } from './answer/scope.ts';
export { type Blip, type BlipPage, blipPageSchema, blipSchema } from './blip/blip.ts';
export {
  type AcceptedCallback,
  acceptedCallbackSchema,
  type Callback,
  type CallbackPage,
  callbackPageSchema,
  callbackSchema,
  callbackStateSchema,
} from './callback/callback.ts';
export { type CallbackDetail, callbackDetailSchema } from './callback/callback-detail.ts';
export {
  type CallbackRequest,
  callbackRequestSchema,
  type ParsedCallbackRequest,
} from './callback/callback-request.ts';
export { type Gate, type GateList, gateListSchema, gateSchema } from './gate/gate.ts';
export { serviceNameSchema } from './gate/service-name.ts';
export { type GateOrder, type GateRelease, gateOrderSchema, gateReleaseSchema } from './hand/gate-order.ts';
export {
  type Incident,
  type IncidentPage,
  incidentPageSchema,
  incidentSchema,
  incidentStateSchema,
} from './incident/incident.ts';
export {
  acknowledgeRequestSchema,
  type NoteRequest,
  noteRequestSchema,
  type ResolveRequest,
  resolveRequestSchema,
} from './incident/incident-action.ts';
export { type IncidentDetail, incidentDetailSchema } from './incident/incident-detail.ts';
export {
  type EventsClosed,
  type EventsReady,
  type EventsReset,
  eventsClosedSchema,
  eventsReadySchema,
  eventsResetSchema,
  type IncidentEvent,
  incidentEventSchema,
} from './incident/incident-event.ts';
export { type Verification, verificationSchema } from './incident/verification.ts';
export { type Channel, type ChannelPage, channelPageSchema, channelSchema } from './notification/channel.ts';
export {
  type Notification,
  type NotificationPage,
  notificationPageSchema,
  notificationSchema,
  notificationStateSchema,
} from './notification/notification.ts';
export {
  type Observation,
  type ObservationPage,
  observationPageSchema,
  observationSchema,
} from './observation/observation.ts';
export {
  type Reconciliation,
  type ReconciliationDetail,
  type ReconciliationPage,
  reconciliationDetailSchema,
  reconciliationPageSchema,
  reconciliationSchema,
} from './reconciliation/reconciliation.ts';
export { type Approval, approvalSchema, type CallbackOrder, callbackOrderSchema } from './review/callback-order.ts';
export { type Review, reviewSchema } from './review/review.ts';
export { type Service, type ServicePage, servicePageSchema, serviceSchema } from './service/service.ts';
export {
  type Silence,
  type SilencePage,
  type SilenceRequest,
  silencePageSchema,
  silenceRequestSchema,
  silenceSchema,
} from './silence/silence.ts';
export { type Source, type SourcePage, sourcePageSchema, sourceSchema } from './source/source.ts';
export { type Subject, type SubjectPage, subjectPageSchema, subjectSchema } from './subject/subject.ts';
