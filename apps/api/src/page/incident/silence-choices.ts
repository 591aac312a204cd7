import type { SilenceScope } from '@tidegate/core';
import type { Viewer } from '../session/viewer.ts';
import type { LoadedIncident } from './load-incident.ts';

/** What can be muted from an incident, as a form names it. */
export interface SilenceChoice {
  readonly value: string;
  readonly label: string;
  readonly scope: SilenceScope;
  readonly target: string | null;
}

const ALIAS = /^(?:dev|tun)_/;
const MOST_SERVICES = 20;

/** Its group, each of its services, everything; a key that is limited to some services may mute those only. */
export function listSilenceChoices({ incident }: LoadedIncident, { services }: Viewer): SilenceChoice[] {
  const { groupAlias, groupName } = incident;
  const group: SilenceChoice[] = ALIAS.test(groupAlias)
    ? [{ value: 'group', label: `${groupName ?? groupAlias} as a whole`, scope: 'group', target: groupAlias }]
    : [];
  const each = incident.services.slice(0, MOST_SERVICES).map((name): SilenceChoice => {
    return { value: `service:${name}`, label: `the service ${name}`, scope: 'service', target: name };
  });
  if (services !== null) return each;
  return [...group, ...each, { value: 'all', label: 'everything there is', scope: 'all', target: null }];
}
