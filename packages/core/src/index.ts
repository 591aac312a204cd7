export { type ChainCheck, type ChainFlaw, checkChain, checkReach } from './audit/check-chain.ts';
export {
  classifyFlapping,
  type FlappingClass,
  type SubjectTransitions,
} from './correlate/classify-flapping.ts';
export { combinePolicies } from './correlate/combine-policies.ts';
export { decideEnding, type EndingDecision, type EndingFacts, type EndingRefusal } from './correlate/decide-ending.ts';
export { decideGroup } from './correlate/decide-group.ts';
export {
  decideMass,
  isMass,
  type LostDevice,
  type MassDecision,
  type MassFacts,
  type MassPolicy,
} from './correlate/decide-mass.ts';
export { describeEvent } from './correlate/describe-event.ts';
export { dueAt, type Pending } from './correlate/due-at.ts';
export { GATE_WORDS, KIND_WORDS, LAYER_WORDS, VERDICT_WORDS, WHY_WORDS } from './correlate/event-words.ts';
export { findSilence, type LiveSilence, type SilencedIncident, type SilenceScope } from './correlate/find-silence.ts';
export { findTransitions, type ReportedStatus } from './correlate/find-transitions.ts';
export type {
  GroupDecision,
  GroupFacts,
  Grouping,
  Member,
  NoneReason,
  OpenIncident,
  OpenMass,
} from './correlate/group-decision.ts';
export { type GroupedSubject, groupKey } from './correlate/group-key.ts';
export { isToldWithMass } from './correlate/is-told-with-mass.ts';
export { MASS_QUIET_MS } from './correlate/mass-quiet-ms.ts';
export { nextPoll, type PollEnd } from './correlate/next-poll.ts';
export { type FlapTally, type FlapWorst, tallyFlapping } from './correlate/tally-flapping.ts';
export { type ToldEvent, tellEvent } from './correlate/tell-event.ts';
export { type Connectivity, type ConnectivityFacts, weighConnectivity } from './correlate/weigh-connectivity.ts';
export { decideGate, type GateDecision, type GateFacts, type GateRow } from './gate/decide-gate.ts';
export { type LeaseFacts, leaseUntil } from './gate/lease-until.ts';
export { type Hand, type HandMove, type HandOrder, moveHand } from './gate/move-hand.ts';
export { AppError } from './model/app-error.ts';
export type {
  AuditAction,
  AuditEntry,
  AuditFacts,
  AuditHead,
  AuditRow,
  ChainedAuditRow,
  SignAudit,
} from './model/audit-row.ts';
export type { AttemptPhase, CallbackState, RepeatContract } from './model/callback.ts';
export { GATE_STATES, type GateReason, type GateState } from './model/gate.ts';
export type { IncidentKind, IncidentState, JoinReason } from './model/incident.ts';
export {
  type NotificationKind,
  type NotificationMessage,
  type NotificationState,
  SEVERITIES,
  type Severity,
} from './model/notification.ts';
export type { Policy, RetryPolicy } from './model/policy.ts';
export type { SafeName } from './model/safe-name.ts';
export type { ConnectivityStatus, SourceGroupRef, SubjectRef, SubjectType } from './model/subject.ts';
export type { TimelineEvent } from './model/timeline-event.ts';
export {
  LAYERS,
  type Layer,
  type LayerOutcome,
  type LayerReason,
  type LayerResult,
  type Verdict,
} from './model/verification.ts';
export { composeMessage, composeTest } from './notify/compose-message.ts';
export { cutText } from './notify/cut-text.ts';
export { decideNotices, type NoticeDecision, type NotifyRules, type ToldNotice } from './notify/decide-notices.ts';
export { type TimeWindow, WEEKDAYS, type Weekday } from './notify/is-within.ts';
export {
  type IncidentSubject,
  type NoticeEnd,
  type NoticeSubject,
  newsOf,
  type ReviewSubject,
} from './notify/notice-subject.ts';
export { pickChannels, type Route } from './notify/pick-channels.ts';
export { type ScrubRules, scrubText } from './notify/scrub-text.ts';
export { type ServiceSeverities, severityOf } from './notify/severity-of.ts';
export { type BodyShape, describeBody } from './receive/describe-body.ts';
export { describeShape } from './receive/describe-shape.ts';
export {
  type ActionDate,
  type ActionDateZone,
  parseActionDate,
  type UndatedReason,
} from './receive/parse-action-date.ts';
export { parseStrictJson, type StrictJsonRejection, type StrictJsonResult } from './receive/parse-strict-json.ts';
export {
  type ExtraFields,
  parseWebhook,
  type Webhook,
  type WebhookError,
  type WebhookField,
  type WebhookProblem,
  type WebhookResult,
  webhookSchema,
} from './receive/parse-webhook.ts';
export { type RateRule, type TokenBucket, takeToken } from './receive/take-token.ts';
export { EMPTY_VIEW, foldView, type View, type ViewInput } from './record/fold-view.ts';
export { isTrusted } from './record/is-trusted.ts';
export { observationId } from './record/observation-id.ts';
export {
  type RecordedDelivery,
  type RecordGate,
  type RecordPending,
  type RecordSettings,
  type RecordState,
  type RecordTopology,
  recordBatch,
  servicesTouched,
} from './record/record-batch.ts';
export { type ShuttingEvidence, shutsGate } from './record/shuts-gate.ts';
export { publicTunnelId } from './redact/public-tunnel-id.ts';
export { sanitizeName } from './redact/sanitize-name.ts';
export {
  ATTEMPT_LEASE,
  type ClockPair,
  elapsedOf,
  holdsLease,
  isLeaseLost,
  judgeLease,
  type LeaseClaim,
  type LeaseStanding,
  type LeaseTerms,
  type StoredLease,
} from './release/attempt-lease.ts';
export {
  CALLBACK_TRANSITIONS,
  checkTransition,
  type TransitionCheck,
  type TransitionGrant,
} from './release/callback-transitions.ts';
export { canonicalJson } from './release/canonical-json.ts';
export {
  type Circuit,
  type CircuitPlan,
  CLOSED_CIRCUIT,
  planCircuit,
  settleCircuit,
} from './release/circuit.ts';
export { type AttemptOutcome, mayHaveHappened } from './release/classify-attempt.ts';
export { type AfterAttempt, decideAfterAttempt, type EndedAttempt } from './release/decide-after-attempt.ts';
export { decideLookup, type LookupDecision, type LookupFacts } from './release/decide-lookup.ts';
export {
  EVIDENCE,
  RECONCILED_STATES,
  RECONCILIATION_TABLE,
  type ReconciliationAction,
  type ReconciliationOutcome,
  type ReconciliationReason,
} from './release/decide-reconciliation.ts';
export { findUnkept } from './release/find-unkept.ts';
export {
  BEGINNING_GOOD_FOR_MS,
  type BeginningFacts,
  judgeBeginning,
  type Withheld,
} from './release/judge-beginning.ts';
export { nextAttempt } from './release/next-attempt.ts';
export { type IdempotencyKeyResult, parseIdempotencyKey } from './release/parse-idempotency-key.ts';
export { parseRetryAfter } from './release/parse-retry-after.ts';
export { pickSendable, type SendingGate, type WaitingCallback } from './release/pick-sendable.ts';
export {
  planRamp,
  type Ramp,
  type RampFacts,
  type RampPlan,
  type RampPolicy,
  settleRamp,
  useGrant,
} from './release/plan-ramp.ts';
export { type PlaceHolder, type PlaceShares, sharePlaces } from './release/share-places.ts';
export {
  judgeStatus,
  type StatusContract,
  type StatusResult,
  statusContractSchema,
} from './release/status-contract.ts';
export {
  type CallbackError,
  type CallbackField,
  type CallbackProblem,
  type CallbackRequest,
  type CallbackValidation,
  validateCallback,
} from './release/validate-callback.ts';
export { type DestinationHealth, weighDestination } from './release/weigh-destination.ts';
export { writtenMember } from './release/written-member.ts';
export { compareReplays, type ReplayDifference } from './replay/compare-replays.ts';
export type {
  Replay,
  ReplayedIncident,
  ReplayHistory,
  ReplayObservation,
  ReplayRules,
  ReplaySubject,
} from './replay/replay-model.ts';
export { simulate } from './replay/simulate.ts';
export { applyControl, type ControlOutcome } from './verify/apply-control.ts';
export { applyEssential, type EssentialFacts } from './verify/apply-essential.ts';
export { countPasses, type FinishedRun, type PassCount, type PassDecision } from './verify/count-passes.ts';
export { decideVerdict, type VerdictDecision, type VerdictFacts } from './verify/decide-verdict.ts';
export {
  type BrokenNow,
  brokenLayer,
  findNextStep,
  type NextStep,
  type NextStepFacts,
  type TriedRun,
} from './verify/find-next-step.ts';
export { incidentPatience } from './verify/incident-patience.ts';
export { isKeptShut } from './verify/is-kept-shut.ts';
export { judgeMembers, type ListedMembers, type MemberCount } from './verify/judge-members.ts';
export { leadsTo } from './verify/leads-to.ts';
export { type LastRun, nextVerification, type VerificationPace } from './verify/next-verification.ts';
export { recheckEvery } from './verify/recheck-every.ts';
export { keptShutStep } from './verify/runbook.ts';
export {
  type EndedRun,
  type GateSettlement,
  type OpeningVeto,
  type SettlingGate,
  settleGate,
} from './verify/settle-gate.ts';
