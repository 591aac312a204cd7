import type { IncomingMessage } from 'node:http';
import { callbackRequestSchema, type FieldProblem, type ParsedCallbackRequest } from '@tidegate/client';
import { findUnkept, parseIdempotencyKey, parseStrictJson, writtenMember } from '@tidegate/core';
import { fieldProblems } from '../query/field-problems.ts';
import { readCappedBody } from './read-capped-body.ts';

/** The largest request body, in bytes. */
const LARGEST_BODY_BYTES = 1024 * 1024;
const DEEPEST_JSON = 64;
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** What came in, or why it cannot be one; each variant has one HTTP status. */
export type ReadRequest =
  | {
      readonly kind: 'read';
      readonly request: ParsedCallbackRequest;
      /** The JSON of `body` as it was written; null when there is none. */
      readonly writtenBody: string | null;
      readonly idempotencyKey: string;
    }
  | { readonly kind: 'not_json' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'key_unusable'; readonly problem: 'missing' | 'malformed' | 'too_long' }
  | { readonly kind: 'syntax'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldProblem[] };

/** Reads a callback that is handed over: its headers first, then the capped body, then its fields. */
export async function readCallbackRequest(incoming: IncomingMessage): Promise<ReadRequest> {
  const { headers } = incoming;
  if (!JSON_MEDIA_TYPE.test(headers['content-type'] ?? '') || headers['content-encoding'] !== undefined) {
    return { kind: 'not_json' };
  }
  const key = parseIdempotencyKey(oneOf(headers['idempotency-key']));
  if (!key.ok) return { kind: 'key_unusable', problem: key.problem };
  const body = await readCappedBody(incoming, LARGEST_BODY_BYTES);
  if (body.kind !== 'read') return body;
  const json = parseStrictJson(body.bytes, DEEPEST_JSON);
  if (!json.ok) return { kind: 'syntax', reason: json.reason };
  const parsed = callbackRequestSchema.safeParse(json.value);
  if (!parsed.success) return { kind: 'invalid', errors: fieldProblems(parsed.error.issues, json.value) };
  const text = body.bytes.toString('utf8');
  const unkept = findUnkept(text, json.value as object);
  if (unkept.length > 0) return { kind: 'invalid', errors: unkept };
  return { kind: 'read', request: parsed.data, writtenBody: writtenMember(text, 'body'), idempotencyKey: key.key };
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
