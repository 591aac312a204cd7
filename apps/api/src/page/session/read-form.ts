import type { IncomingMessage } from 'node:http';
import { readCappedBody } from '../../callback/read-capped-body.ts';

const LARGEST_FORM_BYTES = 8 * 1024;

/** The fields of a posted form, or null when it is not one of a size that a person fills in. */
export async function readForm(incoming: IncomingMessage): Promise<URLSearchParams | null> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(incoming.headers['content-type'] ?? '')) return null;
  const body = await readCappedBody(incoming, LARGEST_FORM_BYTES);
  return body.kind === 'read' ? new URLSearchParams(body.bytes.toString('utf8')) : null;
}
