import type { GateReason } from '../model/gate.ts';
import type { IncidentKind, JoinReason } from '../model/incident.ts';
import type { NotificationKind } from '../model/notification.ts';
import type { Layer, Verdict } from '../model/verification.ts';
import type { FlapWorst } from './tally-flapping.ts';

// The words a sentence uses for the named codes of the model: each fits where `describeEvent` puts it.

export const KIND_WORDS: Record<IncidentKind, string> = {
  device: 'a device outage',
  tunnel: 'a tunnel outage',
  application: 'an application failure',
  mass: 'an outage of many devices',
  flapping: 'an unstable connection',
};

export const WHY_WORDS: Record<JoinReason, string> = {
  device_down: 'the device itself is disconnected',
  tunnel_of_down_device: 'its device is disconnected',
  tunnel_down: 'the tunnel is disconnected',
  same_device: 'it belongs to the same device',
  flapping: 'it keeps connecting and disconnecting',
  mass_outage: 'many devices of its source group were lost at once',
  polled_offline: 'Localtonet lists it as offline, although no webhook said so',
};

export const LAYER_WORDS: Record<Layer, string> = {
  local_liveness: 'local liveness',
  local_readiness: 'local readiness',
  device: 'device',
  tunnel: 'tunnel',
  public: 'public path',
  application: 'application',
};

export const VERDICT_WORDS: Record<Verdict, string> = {
  device_offline: 'the device is offline',
  tunnel_stopped: 'the tunnel is stopped',
  agent_down: 'the agent is down',
  agent_not_ready: 'the agent is not ready',
  public_path_broken: 'the public path is broken',
  access_denied: 'the application denied access',
  app_check_failed: 'the application check failed',
  healthy: 'everything is healthy',
  inconclusive: 'the checks were inconclusive',
};

export const GATE_WORDS: Record<GateReason, string> = {
  never_verified: 'it was never verified',
  disconnected: 'a disconnect was received',
  verification_failed: 'a verification failed',
  held_by_hand: 'a person held it',
  forced_open: 'a person forced it open before',
  hand_released: 'what a person had decided is over',
  unknown_subject: 'its state could not be confirmed',
  receiver_silent: 'a receiver is silent',
  rate_limited: 'webhooks were turned away',
  verified: 'it must be verified again',
  flapping: 'the connection is unstable',
  policy_changed: 'its policy changed',
  topology_changed: 'its device or tunnel changed',
};

export const WORST_WORDS: Record<FlapWorst, string> = {
  device: 'the device itself was disconnected',
  tunnel: 'a tunnel was disconnected while its device was not',
};

export const ABOUT_WORDS: Record<NotificationKind, string> = {
  open: 'that the incident was opened',
  update: 'what changed',
  needs_review: 'that callbacks need a person to decide',
  resolve: 'that the incident is over',
  test: 'what a test says',
};
