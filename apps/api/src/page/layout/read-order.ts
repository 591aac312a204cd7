import type { SafeName } from '@tidegate/core';
import { readDuration, readWords } from '../../body/read-words.ts';
import { LONGEST_REASON } from '../../incident-action/incident-action-routes.ts';

/** A reason and a time, as forms send them; null when one is missing. */
export function readOrder(form: URLSearchParams): { readonly reason: SafeName; readonly forMs: number } | null {
  const reason = readWords(form.get('reason') ?? '', LONGEST_REASON);
  const forMs = readDuration(form.get('for') ?? '');
  return reason === null || forMs === null ? null : { reason, forMs };
}
