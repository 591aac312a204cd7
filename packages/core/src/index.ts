export { AppError } from './model/app-error.ts';
export type { AttemptPhase, CallbackState, RepeatContract } from './model/callback.ts';
export { GATE_STATES, type GateReason, type GateState } from './model/gate.ts';
export type { IncidentKind, IncidentState } from './model/incident.ts';
export type { Policy, RetryPolicy } from './model/policy.ts';
export type { ConnectivityStatus, SubjectType } from './model/subject.ts';
export {
  LAYERS,
  type Layer,
  type LayerOutcome,
  type LayerReason,
  type LayerResult,
  type Verdict,
} from './model/verification.ts';
