import { describeShape } from './describe-shape.ts';
import { nameFields } from './name-fields.ts';
import { parseStrictJson } from './parse-strict-json.ts';

/** What of a body that was not understood may be told: names that look like names, and the shape of its date. */
export interface BodyShape {
  /** At most 8, in order of appearance. */
  readonly fields: readonly string[];
  /** How many others there are. */
  readonly unnamed: number;
  /** Null when there is no text under the documented name. */
  readonly dateShape: string | null;
}

/** Describes a body that was not understood, without a value (I3); null when it is no JSON object. Never throws. */
export function describeBody(bytes: Uint8Array): BodyShape | null {
  const json = parseStrictJson(bytes);
  if (!json.ok) return null;
  const body = json.value;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { names, unnamed } = nameFields(Object.keys(body));
  const date: unknown = Object.hasOwn(body, 'ActionDate') ? Reflect.get(body, 'ActionDate') : null;
  return { fields: names, unnamed, dateShape: typeof date === 'string' ? describeShape(date) : null };
}
