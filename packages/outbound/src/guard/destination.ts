/** Where a request goes, taken apart; `hostname` has no brackets and no trailing dot. */
export interface Destination {
  readonly origin: string;
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  /** Path and query as sent. A secret: never put it in a log, an error or an answer. */
  readonly target: string;
}

export type DestinationProblem = 'not_a_url' | 'scheme' | 'userinfo';

export type ParsedDestination =
  | { readonly ok: true; readonly destination: Destination }
  | { readonly ok: false; readonly problem: DestinationProblem };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Takes a URL apart and refuses what Tidegate never dials: other schemes than http and https, and userinfo. Pure. Odd
 * IPv4 spellings (octal, hex, one number) come out in dotted form, since the WHATWG parser rewrites them.
 */
export function parseDestination(text: string): ParsedDestination {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { ok: false, problem: 'not_a_url' };
  const defaultPort = DEFAULT_PORTS[url.protocol];
  if (defaultPort === undefined) return { ok: false, problem: 'scheme' };
  if (url.username !== '' || url.password !== '') return { ok: false, problem: 'userinfo' };
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (hostname === '' || port === 0) return { ok: false, problem: 'not_a_url' };
  const secure = url.protocol === 'https:';
  return { ok: true, destination: { origin: url.origin, hostname, port, secure, target: url.pathname + url.search } };
}

/** What lists may show of a URL: its origin, or a fixed phrase. Nothing else of the input comes out. */
export function describeDestination(url: string): string {
  const parsed = parseDestination(url);
  if (parsed.ok) return parsed.destination.origin;
  return parsed.problem === 'userinfo' ? '(a URL with userinfo)' : '(not an http or https URL)';
}
