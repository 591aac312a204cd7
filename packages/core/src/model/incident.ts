/** What an outage looks like to on-call people. */
export type IncidentKind = 'device' | 'tunnel' | 'application' | 'mass' | 'flapping';

export type IncidentState = 'open' | 'acknowledged' | 'resolved';
