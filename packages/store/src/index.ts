export { createApiKey, type NewApiKey } from './api-key/create-api-key.ts';
export { type ApiKeyRow, findApiKey } from './api-key/find-api-key.ts';
export { listApiKeys, revokeApiKey } from './api-key/list-api-keys.ts';
export { type ClaimedCallback, claimCallbacks } from './callback/claim-callbacks.ts';
export { type CreatedCallback, createCallback, type NewCallback } from './callback/create-callback.ts';
export { endRelease } from './callback/end-release.ts';
export { ensureSigningSecrets } from './callback/ensure-signing-secrets.ts';
export { type AttemptEnd, finishAttempt } from './callback/finish-attempt.ts';
export {
  type CallbackDetail,
  type CallbackFilter,
  type CallbackRow,
  listCallbacks,
  readCallback,
} from './callback/list-callbacks.ts';
export { type ExpiredLease, listExpiredLeases } from './callback/list-expired-leases.ts';
export { loadDataKey } from './data-key/load-data-key.ts';
export { type DataKeyRow, saveDataKey } from './data-key/save-data-key.ts';
export { connect, type Sql } from './database/connect.ts';
export type { Page } from './database/cursor.ts';
export { migrate } from './database/migrate.ts';
export { classifyStoreError, type StoreFailure, toStoreError } from './database/store-error.ts';
export { type GateRow, readGates } from './gate/read-gates.ts';
export { type NextDue, nextDue } from './health/next-due.ts';
export { ping } from './health/ping.ts';
export { type Overview, readOverview } from './health/read-overview.ts';
export { type CorrelatedGroup, correlateDue } from './incident/correlate-due.ts';
export { type IncidentFilter, type IncidentRow, listIncidents } from './incident/list-incidents.ts';
export type { Policies } from './incident/load-group-facts.ts';
export { type IncidentDetail, readIncident, type VerificationView } from './incident/read-incident.ts';
export { claimKeyring } from './installation/claim-keyring.ts';
export { listObservations, type ObservationRow } from './observation/list-observations.ts';
export {
  type DeliveryRecord,
  type RecordedBatch,
  type RecordSettings,
  recordBatch,
} from './observation/record-batch.ts';
export { applyServices, type ServiceConfig } from './service/apply-services.ts';
export { applySources, type SourceConfig } from './source/apply-sources.ts';
export { type LiveSource, listSourceSecrets } from './source/list-source-secrets.ts';
export { applyTopology, type TopologyDevice, type TopologyTunnel } from './subject/apply-topology.ts';
export { findSubjects } from './subject/find-subjects.ts';
export { listSubjects, type SubjectRow } from './subject/list-subjects.ts';
export { newestUnlinkedDevice } from './subject/newest-unlinked-device.ts';
export { type KnownSubject, resolveSubjects, type SubjectIdentity } from './subject/resolve-subjects.ts';
export { type ClaimedVerification, claimVerifications } from './verification/claim-verifications.ts';
export { type FinishedVerification, finishVerification } from './verification/finish-verification.ts';
export { renewVerification } from './verification/renew-verification.ts';
export type { VerificationResult, VerificationTiming } from './verification/verification-result.ts';
