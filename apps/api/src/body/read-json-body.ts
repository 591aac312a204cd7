import type { IncomingMessage } from 'node:http';
import type { FieldProblem } from '@tidegate/client';
import { parseStrictJson } from '@tidegate/core';
import type { z } from 'zod';
import { type ProblemInit, problem } from '../answer/problem.ts';
import { readCappedBody } from '../callback/read-capped-body.ts';
import { fieldProblems } from '../query/field-problems.ts';

/** What a person says about a gate, an incident or a silence is short. */
const LARGEST_BODY_BYTES = 16 * 1024;
const DEEPEST_JSON = 8;
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

export type JsonBody<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly answer: Response };

/** Reads a small JSON body and its fields; what cannot be accepted is answered without repeating any of it. */
export async function readJsonBody<S extends z.ZodType>(
  incoming: IncomingMessage,
  schema: S,
): Promise<JsonBody<z.output<S>>> {
  const { headers } = incoming;
  if (!JSON_MEDIA_TYPE.test(headers['content-type'] ?? '') || headers['content-encoding'] !== undefined) {
    return refuse({
      status: 415,
      code: 'not_json',
      detail: 'The body must be application/json in UTF-8, not compressed.',
    });
  }
  const body = await readCappedBody(incoming, LARGEST_BODY_BYTES);
  if (body.kind === 'too_large') {
    return refuse({ status: 413, code: 'body_too_large', detail: 'The body is larger than 16 KiB.' });
  }
  if (body.kind === 'aborted') {
    return refuse({ status: 400, code: 'body_incomplete', detail: 'The body ended before all of it had arrived.' });
  }
  const json = parseStrictJson(body.bytes, DEEPEST_JSON);
  if (!json.ok) {
    const detail = `The body is not acceptable JSON (${json.reason}).`;
    return refuse({ status: 400, code: 'malformed_json', detail });
  }
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) return { kind: 'refused', answer: malformed(fieldProblems(parsed.error.issues, json.value)) };
  return { kind: 'read', value: parsed.data };
}

/** The answer to a body whose fields are not as they must be. */
export function malformed(errors: readonly FieldProblem[]): Response {
  return problem({ status: 400, code: 'malformed_request', detail: 'The body is not valid.', errors });
}

function refuse(init: ProblemInit): JsonBody<never> {
  return { kind: 'refused', answer: problem(init) };
}
