import type { Scope } from '@tidegate/client';
import type { Viewer } from '../session/viewer.ts';

/** A page that the navigation leads to. */
export interface Section {
  readonly path: string;
  readonly label: string;
  /** Pressed after `g`. */
  readonly key: string;
  /** One of these opens it; none: whoever is signed in. */
  readonly scopes: readonly Scope[];
  /** A list that is not kept by service is not for a key that is limited to some. */
  readonly whole: boolean;
}

const all = { whole: false } as const;
const whole = { whole: true } as const;

export const SECTIONS = {
  now: { path: '/', label: 'Now', key: 'n', scopes: [], ...all },
  incidents: { path: '/incidents', label: 'Incidents', key: 'i', scopes: ['incidents:read'], ...all },
  services: { path: '/services', label: 'Services', key: 's', scopes: ['gate:read'], ...all },
  callbacks: {
    path: '/callbacks',
    label: 'Callbacks',
    key: 'c',
    scopes: ['callbacks:write', 'callbacks:review'],
    ...all,
  },
  sources: { path: '/sources', label: 'Sources', key: 'o', scopes: ['incidents:read'], ...whole },
  subjects: { path: '/subjects', label: 'Subjects', key: 'u', scopes: ['incidents:read'], ...whole },
  audit: { path: '/audit', label: 'Audit', key: 'a', scopes: ['admin'], ...whole },
} as const satisfies Record<string, Section>;

export function mayEnter(viewer: Viewer, { scopes, whole: isWhole }: Section): boolean {
  return (scopes.length === 0 || viewer.may(...scopes)) && !(isWhole && viewer.services !== null);
}
