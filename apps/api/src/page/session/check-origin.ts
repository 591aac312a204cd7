/** The headers in which a browser says where a request comes from; no page can write them. */
export interface OriginHeaders {
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Whether a form was posted from one of our own pages. Origin has to be there and to name the host that was asked; a proxy
 * that rewrites Host leaves `Sec-Fetch-Site`, by which the browser itself says so.
 */
export function isOwnOrigin({ origin, host, fetchSite }: OriginHeaders): boolean {
  if (origin === undefined || !/^https?:\/\//.test(origin)) return false;
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
