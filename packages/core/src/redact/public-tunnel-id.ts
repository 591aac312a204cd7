import type { SubjectType } from '../model/subject.ts';

const PUBLIC_ID = /^[0-9]{1,19}$/;

/**
 * The id as text when it may be stored and shown in plain, else null: treat it as a secret. Only a tunnel's id of 1–19
 * digits is public; a device's id is a credential whatever it looks like. Source of the rule: DESIGN §4.
 */
export function publicTunnelId(type: SubjectType, id: string): string | null {
  return type === 'tunnel' && PUBLIC_ID.test(id) ? id : null;
}
