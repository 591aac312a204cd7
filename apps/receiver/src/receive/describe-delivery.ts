import type { IncomingHttpHeaders } from 'node:http';
import { describeShape } from '@tidegate/core';

const SAFE_HEADER = /^[a-z][a-z0-9-]{0,40}$/;
const KNOWN_TYPE =
  /^(application\/(json|octet-stream|x-www-form-urlencoded|xml)|text\/(json|plain|xml)|multipart\/form-data)(; ?charset=utf-8|(?=;)|$)/i;

/** What of a body may be told: a date, shown by its shape only, and names of fields that are not documented. */
export interface SentFacts {
  readonly actionDate: string;
  readonly extraFields: readonly string[];
}

/**
 * What a delivery looked like, for the owner to compare with Localtonet's documentation: names of headers and fields and the
 * shape of its date, never a value (I3). A content type is shown only when it is a usual one.
 */
export function describeDelivery(headers: IncomingHttpHeaders, sent: SentFacts): Readonly<Record<string, unknown>> {
  return {
    ...describeHeaders(headers),
    dateShape: describeShape(sent.actionDate),
    extraFields: sent.extraFields,
  };
}

/** Names of headers, and the content type where it is a usual one, without its parameters. */
export function describeHeaders(headers: IncomingHttpHeaders): {
  readonly headers: readonly string[];
  readonly contentType: string;
} {
  const names = Object.keys(headers).filter((name) => SAFE_HEADER.test(name));
  const contentType = headers['content-type'] ?? '';
  const [known] = KNOWN_TYPE.exec(contentType) ?? [];
  return { headers: names.sort(), contentType: known?.toLowerCase() ?? (contentType === '' ? 'none' : 'another') };
}
