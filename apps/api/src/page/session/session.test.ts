import { revokeApiKey } from '@tidegate/store';
import { beforeAll, describe, expect, it } from 'vitest';
import { callHttp } from '../../../../../test/support/call-http.ts';
import { until } from '../../../../../test/support/until.ts';
import { openPages, ownOrigin, postKey, textOf } from '../../../test/open-pages.ts';
import { startTestApi, type TestApi } from '../../../test/start-test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});

describe('signing in', () => {
  it('answers a cookie that no script reads and no other site sends, and keeps a hash of it only', async () => {
    const answer = await postKey(api, api.adminKey);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^tidegate_session=[a-z2-7]{40}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
    const token = /=([a-z2-7]{40})/.exec(cookie)?.[1] ?? '';
    const rows = await api.sql`select row_to_json(s)::text as text, lookup_hash from session s`;
    expect(rows.every(({ text }) => !String(text).includes(token))).toBe(true);
    expect(rows.some(({ lookupHash }) => Buffer.from(lookupHash).toString('latin1').includes(token))).toBe(false);
    expect(api.lines.join('')).not.toContain(token);
  });

  it('is Secure and bound to the host when the browser came by https', async () => {
    const secure = `https://127.0.0.1:${api.api.port}`;
    const answer = await postKey(api, api.adminKey, { origin: secure });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-tidegate_session=[a-z2-7]{40}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it('goes on to where one wanted to go, and never to another site', async () => {
    const to = async (next: string) => {
      const origin = ownOrigin(api);
      const body = new URLSearchParams({ key: api.adminKey, next }).toString();
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await fetch(`${origin}/sign-in`, { method: 'POST', redirect: 'manual', headers, body });
      return answer.headers.get('location');
    };
    expect(await to('/incidents/inc_a')).toBe('/incidents/inc_a');
    for (const next of ['//evil.example', 'https://evil.example', 'javascript:x']) {
      expect(await to(next)).toBe('/');
    }
  });

  it('refuses what is no live key, without repeating it', async () => {
    const revoked = await api.makeKey(['admin'], { id: 'key_gone' });
    await revokeApiKey(api.sql, 'key_gone');
    const expired = await api.makeKey(['admin'], { expiresAt: new Date(Date.now() - 1000) });
    for (const key of [revoked, expired, 'tdg_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '<b>tdg_', '']) {
      const answer = await postKey(api, key);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('set-cookie')).toBeNull();
      if (key !== '') expect(await answer.text()).not.toContain(key);
    }
  });

  it('begins a new session each time and ends the one before, and the audit trail tells of both', async () => {
    const first = await openPages(api, await api.makeKey(['incidents:read'], { id: 'key_night' }));
    await postKey(api, api.adminKey, { cookie: first.cookie });
    expect((await first.get('/')).status).toBe(303);
    const rows = await api.sql`select actor, action, target from audit order by seq desc limit 3`;
    expect(rows.slice(1)).toEqual([
      { actor: 'test', action: 'session.end', target: 'key_night' },
      { actor: 'test', action: 'session.start', target: 'key_night' },
    ]);
    expect(rows[0]?.action).toBe('session.start');
  });
});

describe('a session', () => {
  it('leads to the sign-in while there is none, and back to the page that was wanted', async () => {
    const answer = await fetch(`${ownOrigin(api)}/incidents?state=open`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fincidents%3Fstate%3Dopen']);
  });

  it('says why it is over to whoever had one', async () => {
    const pages = await openPages(api, await api.makeKey(['incidents:read'], { id: 'key_left' }));
    await revokeApiKey(api.sql, 'key_left');
    const led = (await pages.get('/incidents?state=open')).headers.get('location') ?? '';
    expect(led).toBe('/sign-in?ended=1&next=%2Fincidents%3Fstate%3Dopen');
    expect(textOf(await pages.text(led))).toContain('You were signed out: the API key was revoked or has expired');
  });

  it('lets a link from elsewhere in, although the cookie does not come along at first', async () => {
    const pages = await openPages(api, api.adminKey);
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const led = await callHttp(`${ownOrigin(api)}/incidents?state=open`, { headers });
    expect(led.status).toBe(200);
    expect(led.text).toContain('<meta http-equiv="refresh" content="0; url=/incidents?state=open"/>');
    expect((await pages.get('/incidents?state=open')).status).toBe(200);
  });

  it('is known to every process of the api', async () => {
    const pages = await openPages(api, api.adminKey);
    const other = await api.another();
    const answer = await fetch(`http://127.0.0.1:${other.api.port}/`, { headers: { cookie: pages.cookie } });
    expect(answer.status).toBe(200);
  });

  it('opens nothing of the API', async () => {
    const { cookie } = await openPages(api, api.adminKey);
    const token = cookie.split('=')[1] ?? '';
    const tries: Record<string, string>[] = [
      { cookie },
      { authorization: `Bearer ${token}` },
      { authorization: token, cookie },
    ];
    for (const headers of tries) {
      for (const [method, path] of [
        ['GET', '/v1/incidents'],
        ['GET', '/v1/gates'],
        ['POST', '/v1/callbacks'],
        ['POST', '/v1/incidents/inc_a/acknowledge'],
        ['POST', '/v1/gates/agent/force-open'],
        ['DELETE', '/v1/silences/sil_a'],
      ] as const) {
        expect((await api.call(path, { key: null, method, headers })).status).toBe(401);
      }
    }
  });

  it('ends after twelve hours without a person, which a page that refreshes itself is not', async () => {
    const pages = await openPages(api, api.adminKey);
    const age = (hours: number) => api.sql`update session set seen_at = seen_at - make_interval(hours => ${hours})`;
    await age(11);
    expect((await pages.get('/', { 'x-page-refresh': '1' })).status).toBe(200);
    await age(2);
    const over = await pages.get('/', { 'x-page-refresh': '1' });
    expect([over.status, over.headers.get('cache-control'), over.headers.get('x-content-type-options')]).toEqual([
      401,
      'no-store',
      'nosniff',
    ]);
    expect((await pages.get('/')).status).toBe(303);

    const followed = await openPages(api, api.adminKey);
    await age(11);
    const stream = await followed.get('/events');
    await stream.body?.cancel();
    await age(2);
    expect([stream.status, (await followed.get('/events')).status, (await followed.get('/')).status]).toEqual([
      200, 401, 303,
    ]);

    const used = await openPages(api, api.adminKey);
    await age(11);
    expect((await used.get('/')).status).toBe(200);
    await age(2);
    expect((await used.get('/')).status).toBe(200);
  });

  it('ends after a week, however much it is used', async () => {
    const pages = await openPages(api, api.adminKey);
    const [row] = await api.sql`select extract(epoch from max(expires_at - created_at))::int as seconds from session`;
    expect(row?.seconds).toBe(7 * 86_400);
    await api.sql`update session set expires_at = now()`;
    expect((await pages.get('/')).status).toBe(303);
  });

  it('ends with signing out, also for who kept the cookie', async () => {
    const pages = await openPages(api, api.adminKey);
    const out = await pages.post('/sign-out', {});
    expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in?out=1']);
    expect(out.headers.get('set-cookie')).toContain('tidegate_session=;');
    expect((await pages.get('/')).status).toBe(303);
    const [row] = await api.sql`select action from audit order by seq desc limit 1`;
    expect(row?.action).toBe('session.end');
  });

  it('and its stream end with its key, within thirty seconds', async () => {
    const key = await api.makeKey(['incidents:read'], { id: 'key_short' });
    const pages = await openPages(api, key);
    const stream = await pages.get('/events', { accept: 'text/event-stream' });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const reading = stream.text();
    await revokeApiKey(api.sql, 'key_short');
    const revokedAt = performance.now();
    expect((await pages.get('/')).status).toBe(303);
    expect(await reading).toContain('event: ended');
    expect(performance.now() - revokedAt).toBeLessThan(30_000);
  });
});

describe('a form', () => {
  it('has to come from one of our pages', async () => {
    const pages = await openPages(api, api.adminKey);
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${api.api.port + 1}` },
      { origin: ownOrigin(api), 'sec-fetch-site': 'cross-site' },
      { origin: ownOrigin(api), 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      expect((await pages.post('/sign-out', {}, headers)).status).toBe(403);
      expect((await pages.post('/incidents/inc_a/acknowledge', {}, headers)).status).toBe(403);
      expect((await postKey(api, api.adminKey, headers)).status).toBe(403);
    }
    const without = await fetch(`${ownOrigin(api)}/sign-out`, { method: 'POST', headers: { cookie: pages.cookie } });
    expect(without.status).toBe(403);
    expect((await pages.get('/')).status).toBe(200);
  });
});

describe('every page', () => {
  it('may load files of ours and nothing else, is kept by nobody and framed by nobody', async () => {
    const pages = await openPages(api, api.adminKey);
    for (const path of ['/', '/sign-in', '/incidents/inc_nothing', '/nothing']) {
      const { headers } = await pages.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; style-src 'self'; script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|nonce|\*|https?:/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('content-type')).toMatch(/^text\/html; charset=utf-8$/i);
    }
  });

  it('has no style and no script of its own', async () => {
    const pages = await openPages(api, api.adminKey);
    const html = await pages.text('/');
    expect(html).not.toMatch(/\sstyle=|<style|\son[a-z]+=|<script(?! src="\/assets\/)/);
    const files = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(new Set(files).size).toBe(4);
    for (const path of files) {
      const { status, headers } = await fetch(`${ownOrigin(api)}${path}`);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });
});

// Last: it makes this address wait.
describe('wrong keys', () => {
  it('are limited by address, and keep nobody out who has a right one', async () => {
    const wrong = () => postKey(api, 'tdg_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb');
    const limited = await until('the limit', wrong, ({ status }) => status === 429, 10_000);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limited.headers.get('set-cookie')).toBeNull();
    expect((await postKey(api, api.adminKey)).status).toBe(303);
    const told = () =>
      api.lines.filter((line) => line.includes('"event":"session.refused"') && line.includes('limited'));
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 50 }, wrong));
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    expect(told().length).toBeGreaterThan(0);
    expect(told().length).toBeLessThanOrEqual(2 + seconds);
  });
});
