export const GATE_STATES = ['open', 'held', 'verifying', 'releasing'] as const;

/** Per service: `open` and `releasing` allow callbacks, `held` and `verifying` do not. */
export type GateState = (typeof GATE_STATES)[number];

/** Why a gate is in the state it is in; shown to agent hosts and on-call people. */
export type GateReason =
  | 'never_verified'
  | 'disconnected'
  | 'verification_failed'
  | 'held_by_hand'
  | 'forced_open'
  | 'hand_released'
  | 'unknown_subject'
  | 'receiver_silent'
  | 'rate_limited'
  | 'verified'
  | 'flapping'
  | 'policy_changed'
  | 'topology_changed';
