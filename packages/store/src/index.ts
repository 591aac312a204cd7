export { createApiKey, type NewApiKey } from './api-key/create-api-key.ts';
export { type ApiKeyRow, findApiKey } from './api-key/find-api-key.ts';
export { listApiKeys, revokeApiKey } from './api-key/list-api-keys.ts';
export { type Audited, inAuditedTransaction, recordAudit } from './audit/in-audited-transaction.ts';
export { addOpenedValues, listOpenedValues, type OpenedValues } from './audit/opened-values.ts';
export { listAudit, readAuditAfter, readAuditHead } from './audit/read-audit.ts';
export { type Claim, type ClaimedCallback, type ClaimOptions, claimCallbacks } from './callback/claim-callbacks.ts';
export { type CreatedCallback, createCallback, type NewCallback } from './callback/create-callback.ts';
export { endRelease } from './callback/end-release.ts';
export { expireCallbacks } from './callback/expire-callbacks.ts';
export { type AttemptEnd, type FinishedAttempt, finishAttempts } from './callback/finish-attempts.ts';
export {
  type CallbackDetail,
  type CallbackFilter,
  type CallbackRow,
  listCallbacks,
  readCallback,
} from './callback/list-callbacks.ts';
export { type ExpiredLease, listExpiredLeases } from './callback/list-expired-leases.ts';
export type { RampPolicies } from './callback/pace.ts';
export { readBeginnings } from './callback/read-beginnings.ts';
export { type HeldLease, type RenewedLeases, renewLeases } from './callback/renew-leases.ts';
export { loadDataKey } from './data-key/load-data-key.ts';
export { countDataKeys, listForeignDataKeys, replaceWrapping } from './data-key/rewrap-data-keys.ts';
export { type DataKeyRow, saveDataKey } from './data-key/save-data-key.ts';
export { connect, type Sql } from './database/connect.ts';
export type { Page } from './database/cursor.ts';
export { migrate } from './database/migrate.ts';
export { classifyStoreError, type StoreFailure, toStoreError } from './database/store-error.ts';
export { type EventPage, type EventRow, readEvents } from './event/read-events.ts';
export { type Feed, type FeedRow, listFeed } from './feed/list-feed.ts';
export { type HeldSourceGates, holdSourceGates } from './gate/hold-source-gates.ts';
export { type GateRow, readGates } from './gate/read-gates.ts';
export { recheckSourceGates } from './gate/recheck-source-gates.ts';
export { shutAllGates } from './gate/shut-all-gates.ts';
export { type ExpiredHand, expireHands } from './hand/expire-hands.ts';
export { type GateWithHand, listGatesWithHand } from './hand/list-gates-with-hand.ts';
export {
  forceOpenGate,
  type GateOrder,
  holdGate,
  type OrderedGate,
  releaseGate,
  type TimedGateOrder,
} from './hand/order-gate.ts';
export { inspectStore, type StoreInspection } from './health/inspect-store.ts';
export { type NextDue, nextDue } from './health/next-due.ts';
export { ping } from './health/ping.ts';
export { type Overview, readOverview } from './health/read-overview.ts';
export { type ReleaseWork, readReleaseWork } from './health/read-release-work.ts';
export { type CorrelatedGroup, correlateDue } from './incident/correlate-due.ts';
export { type BlipFilter, type BlipRow, listBlips } from './incident/list-blips.ts';
export { type IncidentFilter, type IncidentRow, listIncidents } from './incident/list-incidents.ts';
export type { Policies } from './incident/policies.ts';
export { type IncidentDetail, readIncident, type VerificationView } from './incident/read-incident.ts';
export { type UnservedSettings, type VerifiedIncident, verifyUnserved } from './incident/verify-unserved.ts';
export {
  type AcknowledgedIncident,
  acknowledgeIncident,
  type NotedIncident,
  noteIncident,
} from './incident-action/acknowledge-incident.ts';
export { type EndedOverride, endOverrides } from './incident-action/end-overrides.ts';
export type { IncidentOrder, OutOfReach } from './incident-action/lock-incident.ts';
export { type Override, type ResolvedIncident, resolveIncident } from './incident-action/resolve-incident.ts';
export { claimKeyring, keyringMismatch } from './installation/claim-keyring.ts';
export { readKeyringId } from './installation/read-keyring-id.ts';
export { withVaultLock } from './installation/with-vault-lock.ts';
export { askForTest } from './notification/ask-for-test.ts';
export {
  type ClaimedNotification,
  claimNotifications,
  claimRepeats,
  type RepeatedNotification,
  readEndSince,
} from './notification/claim-notifications.ts';
export {
  type DecidedNotices,
  decideDueNotices,
  type NoticeSettings,
} from './notification/decide-due-notices.ts';
export {
  type EndingNotification,
  finishNotification,
  type NotificationEnd,
  noteChannel,
} from './notification/finish-notification.ts';
export { type ChannelRow, listChannels } from './notification/list-channels.ts';
export {
  listNotifications,
  type NotificationFilter,
  type NotificationRow,
  readNotification,
} from './notification/list-notifications.ts';
export { noteReviews } from './notification/note-reviews.ts';
export { registerChannels } from './notification/register-channels.ts';
export { listObservations, type ObservationFilter, type ObservationRow } from './observation/list-observations.ts';
export {
  type DeliveryRecord,
  type RecordedBatch,
  type RecordSettings,
  recordBatch,
} from './observation/record-batch.ts';
export { countOpenIncidents, countWaitingCallbacks, type WaitingCallbacks } from './page/count-open.ts';
export { type HeardSubject, listHeardChanges } from './page/list-heard-changes.ts';
export {
  listServiceRecords,
  type ServiceRecord,
  STRIP_CELLS,
  type StripCell,
} from './page/list-service-records.ts';
export { listSubjectPage, type SubjectPage, type SubjectView } from './page/list-subject-page.ts';
export { listToldIncidents } from './page/list-told-incidents.ts';
export { readChangeMark } from './page/read-change-mark.ts';
export { type PollState, readPollState } from './page/read-poll-state.ts';
export { type ClaimedPoll, claimPoll } from './poll/claim-poll.ts';
export { type FinishedPoll, finishPoll } from './poll/finish-poll.ts';
export { holdUnknown } from './poll/hold-unknown.ts';
export { listPolledGroups } from './poll/list-polled-groups.ts';
export { type MatchedSubject, matchSubjects } from './poll/match-subjects.ts';
export { type Finding, type PollSettings, type RecordedPoll, recordPoll } from './poll/record-poll.ts';
export { tellOfPolls } from './poll/tell-of-polls.ts';
export {
  type QuarantineCaps,
  type QuarantinedBody,
  quarantineBody,
} from './quarantine/quarantine-body.ts';
export {
  claimReplay,
  listQuarantine,
  type QuarantineRow,
  readQuarantined,
  type StoredQuarantine,
} from './quarantine/read-quarantine.ts';
export { beatReceiver } from './receiver/beat-receiver.ts';
export { expectReceiver } from './receiver/expect-receiver.ts';
export { listReceivers, type ReceiverRow } from './receiver/list-receivers.ts';
export {
  type RetireOrder,
  retireLongSilent,
  retireReceiver,
  retireReceiverByHand,
} from './receiver/retire-receiver.ts';
export { type ClaimedLookup, claimLookups } from './reconciliation/claim-lookups.ts';
export { finishLookup, type LookupEnd } from './reconciliation/finish-lookup.ts';
export {
  listReconciliationItems,
  listReconciliations,
  type ReconciliationFilter,
  type ReconciliationItem,
  type ReconciliationRow,
  readReconciliation,
} from './reconciliation/read-reconciliation.ts';
export { reconcileOpenGates } from './reconciliation/reconcile-open-gates.ts';
export { type HistoryRange, loadHistory } from './replay/load-history.ts';
export { type Pruned, prune, type RetentionPeriods } from './retention/prune.ts';
export {
  type CallbackCommand,
  type CallbackOrder,
  type OrderedCallback,
  orderCallback,
} from './review/order-callback.ts';
export { type ReviewDetail, readReview } from './review/read-review.ts';
export { applyServices, type ServiceConfig } from './service/apply-services.ts';
export { listMisnamed, type MisnamedService } from './service/list-misnamed.ts';
export { listServices, type ServiceFilter, type ServiceRow } from './service/list-services.ts';
export { findSession, type SessionQuestion } from './session/find-session.ts';
export { endSession, type NewSession, startSession } from './session/start-session.ts';
export { applySigningSecrets, type SealedSecret, type SigningSecrets } from './signing-secret/apply-signing-secrets.ts';
export {
  isLiveSigningSecret,
  listSigningSecrets,
  readSigningSecrets,
  type SealedSigningSecret,
  type SigningSecretRow,
} from './signing-secret/list-signing-secrets.ts';
export {
  type RetiredSigningSecret,
  type RotatedSigningSecret,
  retireSigningSecret,
  rotateSigningSecret,
  type SigningSecretOrder,
  type SigningSecretRotation,
} from './signing-secret/rotate-signing-secret.ts';
export { type CreatedSilence, createSilence, type NewSilence } from './silence/create-silence.ts';
export { type EndedSilence, type EndSilence, endSilence } from './silence/end-silence.ts';
export { listSilences, readLiveSilences, type SilenceFilter } from './silence/list-silences.ts';
export type { SilenceRow } from './silence/silence-row.ts';
export { type AddedSource, addSource, type NewSource } from './source/add-source.ts';
export { addSourceCounts, type SourceCount } from './source/add-source-counts.ts';
export { applySources, type SourceConfig } from './source/apply-sources.ts';
export { type CancelledRotation, cancelRotation } from './source/cancel-rotation.ts';
export { listSourcePage, type SourceListRow } from './source/list-source-page.ts';
export { type LiveSource, listSourceSecrets } from './source/list-source-secrets.ts';
export { isLiveSecret, listSources, type SourceRow } from './source/list-sources.ts';
export {
  type FinishedRotation,
  finishRotation,
  type RemovedSource,
  type RotatedSource,
  removeSource,
  rotateSource,
  type SecretRotation,
} from './source/rotate-source.ts';
export { applyTopology, type TopologyDevice, type TopologyTunnel } from './subject/apply-topology.ts';
export { findSubjects } from './subject/find-subjects.ts';
export { listSubjects, type SubjectFilter, type SubjectRow } from './subject/list-subjects.ts';
export {
  type Fingerprint,
  type KnownSubject,
  resolveSubjects,
  type SubjectIdentity,
} from './subject/resolve-subjects.ts';
export {
  countFingerprints,
  dropDeadFingerprints,
  type FingerprintCount,
  findStoredSubject,
  listStaleSubjects,
  type StoredSubject,
  saveFingerprints,
} from './subject/stale-fingerprints.ts';
export { type FoundObservation, findObservations } from './trace/find-observations.ts';
export { type ClaimedVerification, claimVerifications } from './verification/claim-verifications.ts';
export { type FinishedVerification, finishVerification } from './verification/finish-verification.ts';
export { renewVerification } from './verification/renew-verification.ts';
export type { VerificationResult, VerificationTiming } from './verification/verification-result.ts';
