import type { TestApi } from './start-test-api.ts';

/** A browser without scripts: one cookie, and forms that say where they come from. */
export interface OpenPages {
  readonly cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** The text of a page that has to be there. */
  text(path: string): Promise<string>;
}

/** The `Origin` of our own pages. */
export function ownOrigin({ api }: TestApi): string {
  return `http://127.0.0.1:${api.port}`;
}

/** Posts the form of the sign-in page. */
export function postKey(api: TestApi, key: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${ownOrigin(api)}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: ownOrigin(api), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ key, next: '/' }).toString(),
  });
}

/** Signs in with a key. */
export async function openPages(api: TestApi, key: string): Promise<OpenPages> {
  const answer = await postKey(api, key);
  if (answer.status !== 303) throw new Error(`sign-in answered ${answer.status}`);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const origin = ownOrigin(api);
  const get: OpenPages['get'] = (path, headers = {}) =>
    fetch(`${origin}${path}`, { redirect: 'manual', headers: { cookie, accept: 'text/html', ...headers } });
  return {
    cookie,
    get,
    post: (path, fields, headers = {}) =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
    async text(path) {
      const found = await get(path);
      if (found.status !== 200) throw new Error(`${path} answered ${found.status}`);
      return found.text();
    },
  };
}

/** What a person reads, on one line. */
export function textOf(html: string): string {
  return html
    .replace(/<dialog[\s\S]*<\/dialog>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+([.,])/g, '$1')
    .replace(/\s+/g, ' ');
}
