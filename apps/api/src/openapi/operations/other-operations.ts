import type { Operation } from '../operation.ts';

const CONDITIONAL = [
  {
    name: 'If-None-Match',
    required: false,
    description: 'The ETag of the last answer; then 304 if nothing has changed.',
  },
  {
    name: 'If-Modified-Since',
    required: false,
    description: 'The Last-Modified of the last answer; the tag is more exact.',
  },
];
const FEED = {
  status: 200,
  schema: null,
  headers: {
    ETag: 'For `If-None-Match`.',
    'Last-Modified': 'For `If-Modified-Since`; absent while more may happen in its second.',
  },
  conditional: true,
} as const;
const AS_PASSWORD =
  'For feed readers: an API key as the password of HTTP Basic, under any user name, or as a bearer token.';

/** The feeds, the process itself, and this document. */
export const OTHER_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/feeds/incidents.atom',
    id: 'readAtomFeed',
    tag: 'feeds',
    summary: 'The incidents as Atom',
    description: AS_PASSWORD,
    scopes: ['incidents:read'],
    auth: 'basic',
    headers: CONDITIONAL,
    answer: { ...FEED, description: 'The feed (RFC 4287).', mediaType: 'application/atom+xml' },
    example: { path: '/feeds/incidents.atom' },
  },
  {
    method: 'get',
    path: '/feeds/incidents.json',
    id: 'readJsonFeed',
    tag: 'feeds',
    summary: 'The incidents as JSON Feed',
    description: AS_PASSWORD,
    scopes: ['incidents:read'],
    auth: 'basic',
    headers: CONDITIONAL,
    answer: { ...FEED, description: 'The feed (JSON Feed 1.1).', mediaType: 'application/feed+json' },
    example: { path: '/feeds/incidents.json' },
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'readHealth',
    tag: 'process',
    summary: 'Whether the process answers',
    scopes: [],
    answer: { status: 200, description: 'It does.', schema: 'Health' },
    example: { path: '/healthz' },
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'readReadiness',
    tag: 'process',
    summary: 'Whether the database answers too, and takes writes',
    scopes: [],
    answer: { status: 200, description: 'It does.', schema: 'Health' },
    problems: [503],
    example: { path: '/readyz' },
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'readDocument',
    tag: 'process',
    summary: 'This document',
    scopes: [],
    answer: { status: 200, description: 'OpenAPI 3.1.', schema: null, mediaType: 'application/vnd.oai.openapi+json' },
    example: { path: '/openapi.json' },
  },
  {
    method: 'get',
    path: '/docs',
    id: 'readReference',
    tag: 'process',
    summary: 'This document as a page',
    scopes: [],
    answer: { status: 200, description: 'HTML, without a script.', schema: null, mediaType: 'text/html' },
    example: { path: '/docs' },
  },
];
