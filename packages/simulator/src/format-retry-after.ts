/** Retry-After as it goes on the wire (RFC 9110 §10.2.3). */
export function formatRetryAfter(retryAfter: number | Date | string): string {
  return retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
}
