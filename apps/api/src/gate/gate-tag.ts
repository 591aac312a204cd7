import type { Gate } from '@tidegate/client';

/** What a caller can know of a gate and wait for a change of. */
export type GateStanding = Pick<Gate, 'decision' | 'state' | 'generation'>;

/** The entity tag of a gate. Weak, since two answers with equal tags differ in `validUntil`. */
export function gateTag({ decision, state, generation }: GateStanding): string {
  return `W/"${generation}.${state}.${decision}"`;
}

/** Whether two answers stand for the same thing to a caller. */
export function sameStanding(one: GateStanding, other: GateStanding): boolean {
  return one.decision === other.decision && one.state === other.state && one.generation === other.generation;
}

/** Whether an `If-None-Match` header names this tag: a list, compared weakly, or `*` (RFC 9110 §13.1.2). */
export function matchesTag(header: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => opaque(one) === opaque(tag));
}
