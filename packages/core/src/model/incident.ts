/** What an outage looks like to on-call people. */
export type IncidentKind = 'device' | 'tunnel' | 'application' | 'mass' | 'flapping';

export type IncidentState = 'open' | 'acknowledged' | 'resolved';

/** Why a subject or an earlier incident belongs to an incident; the timeline says it in words. */
export type JoinReason =
  | 'device_down'
  | 'tunnel_of_down_device'
  | 'tunnel_down'
  | 'same_device'
  | 'flapping'
  | 'mass_outage'
  | 'polled_offline';
