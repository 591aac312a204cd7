/** RFC 9457 problems of the listener. None holds a received value; the 404 is one constant for every cause. */
const TITLES = {
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
} as const;

export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** A problem+json answer; `errors` names fields and fixed codes. */
export function problem(status: keyof typeof TITLES, detail?: string, errors?: readonly FieldProblem[]): Response {
  const body = {
    type: 'about:blank',
    title: TITLES[status],
    status,
    ...(detail && { detail }),
    ...(errors && { errors }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(status === 503 && { 'retry-after': '5' }),
    },
  });
}
