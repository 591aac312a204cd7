export {
  type CallbackSender,
  createCallbackSender,
  type SendOutcome,
  type SendRequest,
} from './callback/callback-sender.ts';
export { createStatusClient, type LookupOutcome, type StatusClient } from './callback/status-client.ts';
export { type RemoteClock, readRemoteClock } from './clock/read-remote-clock.ts';
export { createPinger, type Pinger, type PingOutcome } from './dead-man/pinger.ts';
export {
  type AddressGuard,
  type AddressGuardOptions,
  type Admission,
  createAddressGuard,
  type Lookup,
} from './guard/address-guard.ts';
export type { AddressDenial } from './guard/decide-address.ts';
export {
  type Destination,
  type DestinationProblem,
  describeDestination,
  parseDestination,
} from './guard/destination.ts';
export type { Interruption } from './http/converse.ts';
export type { NotSentReason } from './http/exchange.ts';
export {
  type CallOptions,
  createLocaltonetClient,
  type LocaltonetClient,
  type LocaltonetClientOptions,
} from './localtonet/localtonet-client.ts';
export type { Device, Tunnel } from './localtonet/parse-answer.ts';
export type { LocaltonetFailure, LocaltonetResult } from './localtonet/read-result.ts';
export { createNotifier, type Notifier } from './notify/notifier.ts';
export { type NotifyOutcome, type NotifyTarget, type Outgoing, secretsOf } from './notify/notify-target.ts';
export type { ProbeExpectation } from './probe/judge-answer.ts';
export { createProbeClient, type ProbeClient, type ProbeOutcome, type ProbeRequest } from './probe/probe-client.ts';
export { createTraceSender, type TraceOutcome, type TraceSender } from './trace/trace-sender.ts';
export type { TracedSpan } from './trace/traced-span.ts';
