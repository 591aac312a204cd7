import { expect } from 'vitest';
import { callHttp, type OnAnswer } from './call-http.ts';
import type { Stack } from './run-stack.ts';

/** Secrets that are put where they do not belong. */
interface Misplaced {
  readonly wrongApiKey: string;
  readonly headerValue: string;
  readonly apiPath: string;
  readonly apiQuery: string;
}

/** Signs in, opens every page there is, and asks for what is not there; answers the session, which is a secret itself. */
export async function visitPages(
  stack: Stack,
  service: string,
  { wrongApiKey, headerValue, apiPath, apiQuery }: Misplaced,
  note: OnAnswer,
): Promise<string> {
  const { apiUrl, adminKey } = stack.ready();
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const form = { origin: apiUrl, 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    return callHttp(`${apiUrl}${path}`, { method: 'POST', headers: { ...form, ...headers }, body }, note);
  };
  for (const key of [wrongApiKey, headerValue, `${adminKey.slice(0, -2)}aa`]) {
    expect((await post('/sign-in', { key, next: `//${apiPath}` })).status).toBe(401);
  }
  const signedIn = await post('/sign-in', { key: adminKey, next: '/' });
  const [setCookie = ''] = signedIn.headers['set-cookie'] ?? [];
  const cookie = setCookie.split(';')[0] ?? '';

  const get = (path: string) => callHttp(`${apiUrl}${path}`, { headers: { cookie, accept: 'text/html' } }, note);
  const listed = async (what: string) => {
    const { items } = await stack.get<{ items: { id: string }[] }>(`/v1/${what}?limit=500`);
    return [`/${what}`, ...items.map(({ id }) => `/${what}/${id}`)];
  };
  const incidents = await listed('incidents');
  const callbacks = await listed('callbacks');
  const pages = ['/', '/services', `/services/${service}`, '/sources', '/subjects', '/audit'];
  for (const path of [...pages, ...incidents, ...callbacks]) {
    expect({ path, status: (await get(path)).status }).toEqual({ path, status: 200 });
  }

  const wrong = encodeURIComponent(apiQuery);
  for (const page of ['incidents', 'services', 'callbacks']) {
    expect((await get(`/${page}/${apiPath}`)).status).toBe(404);
    await get(`/${page}?state=${wrong}&cursor=${wrong}&from=${wrong}&service=${wrong}&did=${wrong}`);
    await callHttp(`${apiUrl}/${page}/${apiPath}?key=${wrong}`, {}, note);
    await callHttp(`${apiUrl}/${page}?key=${wrong}&state=${wrong}`, { headers: { [`x-${apiPath}`]: apiPath } }, note);
  }
  const fields = { reason: '', for: apiQuery, scope: apiQuery, back: `//${apiPath}`, note: '', payloadHash: apiQuery };
  for (const act of ['note', 'silence', 'resolve', apiPath]) await post(`${incidents[1]}/${act}`, fields, { cookie });
  await post(`/services/${service}/hold`, fields, { cookie });
  for (const act of ['approve', 'deny', 'redrive', apiPath]) await post(`${callbacks[1]}/${act}`, fields, { cookie });
  await post(`${callbacks[1]}/approve`, { ...fields, reason: service }, { cookie });
  const foreign = { cookie, origin: `https://${apiPath}.example` };
  expect((await post('/sign-out', fields, foreign)).status).toBe(403);
  return /=([a-z2-7]{40})/.exec(cookie)?.[1] ?? '';
}
