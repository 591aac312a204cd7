import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** Whether a receiver that knows this secret accepts a request, by the published library alone. */
export function verifyWebhook(
  secret: string,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: string },
): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}
