/** On every answer: nothing may be kept, framed, sniffed or told to the next site. There are no CORS headers on purpose. */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** A JSON answer. Headers stay a plain record: it is the form that the server writes without making a Headers object. */
export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...ANSWER_HEADERS, 'content-type': 'application/json', ...headers },
  });
}
