import type { SafeName } from './safe-name.ts';

/** What is observed: a device (a Localtonet AuthToken) or a tunnel. */
export type SubjectType = 'device' | 'tunnel';

/** The two states Localtonet reports. */
export type ConnectivityStatus = 'connected' | 'disconnected';

/** A subject as it is known outside the vault. */
export interface SubjectRef {
  /** `dev_…` or `tun_…`. */
  readonly alias: string;
  readonly type: SubjectType;
  /** Its name in Localtonet or the config; null when unknown. */
  readonly name: SafeName | null;
}

/** A source group, which a mass outage is about: it has no alias but its name. */
export interface SourceGroupRef {
  readonly type: 'source group';
  readonly alias: string;
  readonly name: SafeName;
}
