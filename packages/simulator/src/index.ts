export type { AccountTunnel, Change, Device } from './account/account-state.ts';
export type { AnswerFault, AnswerShape, FaultScope } from './account/answer-faults.ts';
export type { LocaltonetAccount, NewTunnel } from './account/localtonet-account.ts';
export { type PostOptions, type PostOutcome, postWebhook } from './account/post-webhook.ts';
export { API_ENDPOINTS, type ApiEndpoint, type ApiRequest } from './account/request-log.ts';
export { type LocaltonetAccountOptions, startLocaltonetAccount } from './account/start-localtonet-account.ts';
export type {
  DeliveryFilter,
  DeliveryOrder,
  DeliverySettings,
  WebhookAnswer,
  WebhookRegistration,
} from './account/webhook-delivery.ts';
export {
  type DateStyle,
  formatActionDate,
  type Ticks,
  ticksFromMs,
  type WebhookEvent,
} from './account/webhook-event.ts';
export type { AgentRequest, Readiness, WhoamiMode } from './agent/agent-state.ts';
export { type Agent, type AgentOptions, startAgent } from './agent/start-agent.ts';
export type { Behaviour } from './callback-receiver/behaviour.ts';
export type { CallbackRequest } from './callback-receiver/callback-ledger.ts';
export {
  type CallbackReceiver,
  type CallbackReceiverOptions,
  startCallbackReceiver,
} from './callback-receiver/start-callback-receiver.ts';
export {
  createFleet,
  type Fleet,
  type FleetDevice,
  type FleetEventOptions,
  type FleetOptions,
} from './fleet/create-fleet.ts';
export { type BurstOptions, type BurstResult, sendBurst } from './fleet/send-burst.ts';
export type { NotificationRequest, ServiceSecrets } from './notification/notification-request.ts';
export {
  type MailServer,
  type MailServerOptions,
  type ReceivedMail,
  startMailServer,
} from './notification/start-mail-server.ts';
export {
  type NotificationService,
  type NotificationServiceKind,
  type ServiceFault,
  startNotificationService,
} from './notification/start-notification-service.ts';
export { createSeededRandom, type SeededRandom } from './seeded-random.ts';
export { SimulatorError, type SimulatorErrorCode } from './simulator-error.ts';
export { startTunnel, type Tunnel, type TunnelOptions, type TunnelRequest } from './tunnel/start-tunnel.ts';
export { startWorld, type World, type WorldOptions } from './world/start-world.ts';
