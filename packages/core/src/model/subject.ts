/** What is observed: a device (a Localtonet AuthToken) or a tunnel. */
export type SubjectType = 'device' | 'tunnel';

/** The two states Localtonet reports. */
export type ConnectivityStatus = 'connected' | 'disconnected';
