import { beforeAll, describe, expect, it } from 'vitest';
import { type PlantedPages, plantPages } from '../../../../test/support/plant-pages.ts';
import { openPages } from '../../test/open-pages.ts';
import { startTestApi, type TestApi } from '../../test/start-test-api.ts';

let api: TestApi;
let planted: PlantedPages;
beforeAll(async () => {
  api = await startTestApi();
  planted = await plantPages(api.sql);
});

const WHOLE = ['/sources', '/subjects', '/audit'];

async function statuses(scopes: string[], services?: string[]) {
  const pages = await openPages(api, await api.makeKey(scopes, services === undefined ? {} : { services }));
  const paths = [
    '/',
    '/incidents',
    `/incidents/${planted.incident}`,
    '/services',
    `/services/${planted.service}`,
    '/callbacks',
    `/callbacks/${planted.callback}`,
    ...WHOLE,
  ];
  const found: Record<string, number> = {};
  for (const path of paths) found[path] = (await pages.get(path)).status;
  return { found, pages };
}

const opened = (found: Record<string, number>) =>
  Object.entries(found).flatMap(([path, status]) => (status === 200 ? [path] : []));

describe('what a key may see', () => {
  it('follows its scopes', async () => {
    const incident = `/incidents/${planted.incident}`;
    const service = `/services/${planted.service}`;
    const callback = `/callbacks/${planted.callback}`;
    expect(opened((await statuses(['incidents:read'])).found)).toEqual([
      '/',
      '/incidents',
      incident,
      '/sources',
      '/subjects',
    ]);
    expect(opened((await statuses(['gate:read'])).found)).toEqual(['/', '/services', service]);
    expect(opened((await statuses(['callbacks:review'])).found)).toEqual(['/', '/callbacks', callback]);
    expect(opened((await statuses(['hosts:report'])).found)).toEqual(['/']);
    expect(Object.values((await statuses(['admin'])).found).every((status) => status === 200)).toBe(true);
  });

  it('leaves out of the first page and of the navigation what is not for it', async () => {
    const { pages } = await statuses(['gate:read']);
    const html = await pages.text('/');
    expect(html).toContain('Gates held');
    expect(html).not.toContain('Open incidents');
    expect(html).not.toContain('Callbacks waiting');
    expect(html).not.toContain('href="/incidents"');
    // Who does not see everything is not told that everything is well.
    for (const scope of ['gate:read', 'hosts:report']) {
      expect(await (await statuses([scope])).pages.text('/')).not.toContain('All is well');
    }
  });

  it('is limited to its services, on every page', async () => {
    await api.sql`
      update gate set hand = 'open', hand_actor = 'Mira', hand_reason = 'x', hand_expires_at = now() + interval '1 hour', reason = 'forced_open', state = 'open'
      where service_id = (select id from service where name = 'billing-agent')`;
    const scopes = ['incidents:read', 'incidents:write', 'gate:read', 'gate:override', 'callbacks:review'];
    const { found, pages } = await statuses(scopes, ['mail-agent']);
    const whole = await openPages(api, api.adminKey);
    expect(opened(found)).toEqual(['/', '/incidents', '/services', '/callbacks']);
    expect([found[`/incidents/${planted.incident}`], found[`/services/${planted.service}`]]).toEqual([404, 404]);
    expect([found[`/callbacks/${planted.callback}`], found['/audit']]).toEqual([404, 403]);
    for (const path of [
      '/',
      '/incidents',
      `/incidents/${planted.acknowledged}`,
      '/services',
      '/services/mail-agent',
      '/callbacks',
    ]) {
      // Who asks at the same time, and may see all, shares the read of the gates.
      const [html] = await Promise.all([pages.text(path), whole.text('/'), whole.text('/services')]);
      for (const foreign of [
        'research-agent',
        'billing-agent',
        'mac-mini',
        planted.incident,
        planted.callback,
        'rcv_planted',
      ]) {
        expect({ path, foreign, shown: html.includes(foreign) }).toEqual({ path, foreign, shown: false });
      }
    }
    expect(await pages.text('/')).toContain('1 incident open, 1 gate held');
  });

  it('sees of an incident that it shares with others its own part, and acts on none of it', async () => {
    const { sql } = api;
    await sql`insert into incident_service (incident_id, service_id) select ${planted.incident}, id from service where name = 'mail-agent'`;
    await sql`insert into timeline_entry (incident_id, at, event, why) values
      (${planted.incident}, now(), 'incident.noted', 'Note by Mira: research is down.'),
      (${planted.incident}, now(), 'gate.held', 'The gate of mail-agent was held, because a disconnect was received.')`;
    const scopes = ['incidents:read', 'incidents:write', 'gate:read', 'gate:override', 'callbacks:review'];
    const pages = await openPages(api, await api.makeKey(scopes, { services: ['mail-agent'] }));
    const path = `/incidents/${planted.incident}`;
    const html = await pages.text(path);
    expect(html).toContain('The gate of mail-agent was held');
    for (const foreign of ['research', 'Localtonet says', 'id="joined"', 'id="waiting"']) {
      expect({ foreign, shown: html.includes(foreign) }).toEqual({ foreign, shown: false });
    }
    const order = { reason: 'x', for: '1h', note: 'x', override: 'yes', sure: 'yes', back: path };
    for (const act of ['acknowledge', 'note', 'resolve']) {
      const led = (await pages.post(`${path}/${act}`, order)).headers.get('location');
      expect({ act, led }).toEqual({ act, led: `${path}?did=not_all_services` });
    }
    for (const scope of ['group', 'all', 'service:research-agent']) {
      const led = (await pages.post(`${path}/silence`, { ...order, scope })).headers.get('location');
      expect({ scope, led }).toEqual({ scope, led: `${path}?did=malformed` });
    }
    for (const act of ['hold', 'force-open', 'release']) {
      expect((await pages.post(`/services/research-agent/${act}`, order)).status).toBe(404);
    }
    await sql`delete from incident_service where incident_id = ${planted.incident} and service_id = (select id from service where name = 'mail-agent')`;
  });

  it('shows no form that the key could not use', async () => {
    const { pages } = await statuses(['incidents:read', 'gate:read']);
    for (const path of [`/incidents/${planted.incident}`, `/services/${planted.service}`]) {
      const forms = [...(await pages.text(path)).matchAll(/action="([^"]+)"/g)].map(([, action]) => action);
      expect(forms).toEqual(['/sign-out']);
    }
    const writer = await openPages(api, await api.makeKey(['incidents:read', 'incidents:write']));
    expect(await writer.text(`/incidents/${planted.incident}`)).not.toContain('force-open');
  });

  it('and no secret comes by way of a source or a key', async () => {
    await api.sql`insert into source_secret (lookup_hash, source_id) values (${Buffer.from('planted-hash-of-a-secret')}, 1)`;
    const { pages } = await statuses(['admin']);
    const html = await pages.text('/sources');
    expect(html).not.toContain('planted-hash');
    expect(html).toContain('1204 new, 2 not understood');
  });
});
