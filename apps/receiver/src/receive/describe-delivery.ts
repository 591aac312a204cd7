import type { IncomingHttpHeaders } from 'node:http';
import { describeShape } from '@tidegate/core';

const SAFE_HEADER = /^[a-z][a-z0-9-]{0,40}$/;
const KNOWN_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

/** What of a body may be told: a date, shown by its shape only, and names of fields that are not documented. */
export interface SentFacts {
  readonly actionDate: string;
  readonly extraFields: readonly string[];
}

/**
 * What a delivery looked like, for the owner to compare with Localtonet's documentation: names of headers and fields and the
 * shape of its date, never a value (I3). A content type is shown only when it is an expected one.
 */
export function describeDelivery(headers: IncomingHttpHeaders, sent: SentFacts): Readonly<Record<string, unknown>> {
  const names = Object.keys(headers).filter((name) => SAFE_HEADER.test(name));
  const contentType = headers['content-type'] ?? '';
  return {
    headers: names.sort(),
    contentType: KNOWN_TYPE.test(contentType) ? contentType.toLowerCase() : 'another',
    dateShape: describeShape(sent.actionDate),
    extraFields: sent.extraFields,
  };
}
