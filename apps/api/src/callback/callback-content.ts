import type { ParsedCallbackRequest } from '@tidegate/client';

/** What will be sent: the body as text, and the headers with the content type that a JSON value brings along. */
export interface CallbackContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * Text goes out as it came; any other JSON value as it was written, since to write it again could change it.
 * @param writtenBody the JSON of `body`; null when there is none
 */
export function callbackContent({ headers, body }: ParsedCallbackRequest, writtenBody: string | null): CallbackContent {
  if (body === null || typeof body === 'string') return { headers, body };
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { headers: named ? headers : { ...headers, 'content-type': 'application/json' }, body: writtenBody };
}
