import type { IncomingHttpHeaders } from 'node:http';
import { describeBody } from '@tidegate/core';
import { describeHeaders } from './describe-delivery.ts';

/**
 * What a delivery looked like that was not understood: what was wrong, names of headers and fields, the shape of its date,
 * never a value (I3).
 * @param problems as `FIELD PROBLEM`, fixed codes
 * @param body null when it was not read
 */
export function describeMisread(
  headers: IncomingHttpHeaders,
  problems: readonly string[],
  body: Buffer | null,
): Readonly<Record<string, unknown>> {
  const shape = body === null ? null : describeBody(body);
  return { problems, ...describeHeaders(headers), ...(body !== null && { bytes: body.length }), ...shape };
}
