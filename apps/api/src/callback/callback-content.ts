import type { ParsedCallbackRequest } from '@tidegate/client';

/** What will be sent: the body as text, and the headers with the content type that a JSON value brings along. */
export interface CallbackContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Text goes out as it came; any other JSON value as JSON, in the order its keys came in. */
export function callbackContent({ headers, body }: ParsedCallbackRequest): CallbackContent {
  if (body === null || typeof body === 'string') return { headers, body };
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { headers: named ? headers : { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
