import { beforeAll, describe, expect, it } from 'vitest';
import { type PlantedPages, plantPages } from '../../../../test/support/plant-pages.ts';
import { type OpenPages, openPages, textOf } from '../../test/open-pages.ts';
import { startTestApi, type TestApi } from '../../test/start-test-api.ts';

let api: TestApi;
let planted: PlantedPages;
let pages: OpenPages;
beforeAll(async () => {
  api = await startTestApi();
  planted = await plantPages(api.sql);
  pages = await openPages(api, await api.makeKey(['admin'], { id: 'key_night' }));
});

const incidentPath = () => `/incidents/${planted.incident}`;
const servicePath = () => `/services/${planted.service}`;
/** Where a form led, without its host. */
const led = (answer: Response) => [answer.status, answer.headers.get('location')];
const lastAudit = async () => {
  const [row] = await api.sql`select actor, action, target, reason, facts from audit order by seq desc limit 1`;
  return row;
};

describe('an incident', () => {
  it('is acknowledged by the person whose key it is', async () => {
    expect(led(await pages.post(`${incidentPath()}/acknowledge`, {}))).toEqual([
      303,
      `${incidentPath()}?did=acknowledged`,
    ]);
    expect(await lastAudit()).toMatchObject({
      actor: 'test',
      action: 'incident.acknowledge',
      target: planted.incident,
      facts: { key: 'key_night' },
    });
    const html = await pages.text(`${incidentPath()}?did=acknowledged`);
    expect(html).toContain('It is yours now');
    expect(html).toContain('Acknowledged by test.');
    expect(html).not.toContain('id="acknowledge"');
    // Pressed twice, it is still theirs.
    expect(led(await pages.post(`${incidentPath()}/acknowledge`, {}))[1]).toBe(`${incidentPath()}?did=acknowledged`);
    await api.sql`update incident set acknowledged_by = 'Mira' where id = ${planted.incident}`;
    expect(led(await pages.post(`${incidentPath()}/acknowledge`, {}))[1]).toBe(
      `${incidentPath()}?did=acknowledged_before`,
    );
  });

  it('shows what a form led to after a form, and not because a link says so', async () => {
    const path = `${incidentPath()}?did=resolved`;
    const shows = async (site: string) => {
      const html = await (await pages.get(path, { 'sec-fetch-site': site })).text();
      return html.includes('by the verification that proves it');
    };
    expect([await shows('same-origin'), await shows('none'), await shows('same-site')]).toEqual([true, false, false]);
  });

  it('takes a note, whose markup stays text', async () => {
    const note = 'Router <b>restarted</b> & "waiting"';
    expect(led(await pages.post(`${incidentPath()}/note`, { note }))).toEqual([303, `${incidentPath()}?did=noted`]);
    expect(await pages.text(incidentPath())).toContain(
      'Note by test: Router &lt;b&gt;restarted&lt;/b&gt; &amp; &quot;waiting&quot;',
    );
    expect(led(await pages.post(`${incidentPath()}/note`, { note: ' \u0000 ' }))).toEqual([
      303,
      `${incidentPath()}?did=no_note`,
    ]);
  });

  it('is muted for a time, and nothing that the form does not offer', async () => {
    const order = { reason: 'power is out', for: '2h' };
    expect(led(await pages.post(`${incidentPath()}/silence`, { ...order, scope: 'group' }))).toEqual([
      303,
      `${incidentPath()}?did=silenced`,
    ]);
    const [row] = await api.sql`select scope, target, actor, reason from silence order by created_at desc limit 1`;
    expect(row).toEqual({ scope: 'group', target: 'dev_macminiaaaaaaaa', actor: 'test', reason: 'power is out' });
    expect(await lastAudit()).toMatchObject({ action: 'silence.add', facts: { key: 'key_night' } });
    const told = async (path: string) => textOf(await pages.text(path));
    // Whoever acknowledged it knows of it; else it is said wherever the incident stands that nobody does.
    expect(await told(incidentPath())).toContain('Pages muted by test until');
    await api.sql`update incident set state = 'open' where id = ${planted.incident}`;
    for (const path of [incidentPath(), '/', '/incidents?state=open', servicePath()]) {
      expect(await told(path)).toContain('Nobody was told: muted by test until');
    }
    expect(await told('/')).toContain('Pages muted mac-mini test: “power is out”');
    await api.sql`
      insert into notification (id, thread, incident_id, generation, channel, kind, episode, state, severity, news, acknowledged, message, decided_at, reached, ended_at)
      values ('ntf_a', ${planted.incident}, ${planted.incident}, 1, 'chat', 'open', 0, 'sent', 'critical', '', false, '{}', now(), true, now())`;
    expect(await told(incidentPath())).not.toContain('Nobody was told');
    await api.sql`update incident set state = 'acknowledged' where id = ${planted.incident}`;
    expect(await told(incidentPath())).toContain('Pages muted by test until');
    const end = /action="(\/silences\/[^"]+\/end)"/.exec(await pages.text('/'))?.[1] ?? '';
    const other = await openPages(api, await api.makeKey(['incidents:write'], { services: ['mail-agent'] }));
    expect((await other.post(end, {})).status).toBe(404);
    const reader = await openPages(api, await api.makeKey(['incidents:read']));
    expect((await reader.post(end, {})).status).toBe(403);
    expect(await reader.text('/')).not.toContain('/end"');
    expect(led(await pages.post(end, {}))).toEqual([303, '/?did=unmuted']);
    expect(await lastAudit()).toMatchObject({ actor: 'test', action: 'silence.end', facts: { key: 'key_night' } });
    expect(await pages.text(incidentPath())).not.toContain('Pages muted by test until');
    expect(led(await pages.post(end, {}))).toEqual([303, '/?did=unmuted']);
    for (const scope of ['service:billing-agent', 'nothing', '']) {
      expect(led(await pages.post(`${incidentPath()}/silence`, { ...order, scope }))[1]).toBe(
        `${incidentPath()}?did=malformed`,
      );
    }
  });

  it('of others is out of reach', async () => {
    const other = await openPages(
      api,
      await api.makeKey(['incidents:read', 'incidents:write'], { services: ['mail-agent'] }),
    );
    for (const act of ['acknowledge', 'note', 'resolve', 'silence']) {
      const answer = await other.post(`${incidentPath()}/${act}`, { note: 'x', scope: 'all', reason: 'x', for: '1h' });
      expect({ act, status: answer.status }).toEqual({ act, status: 404 });
    }
    const reader = await openPages(api, await api.makeKey(['incidents:read']));
    expect(led(await reader.post(`${incidentPath()}/acknowledge`, {}))[1]).toBe(`${incidentPath()}?did=not_allowed`);
    const [row] =
      await api.sql`select state, (select count(*)::int from audit where actor <> 'test') as others from incident where id = ${planted.incident}`;
    expect(row).toEqual({ state: 'acknowledged', others: 1 });
  });

  it('is not resolved without evidence, but by a word with a reason and a time', async () => {
    expect(led(await pages.post(`${incidentPath()}/resolve`, { reason: '', for: '1h' }))[1]).toMatch(
      /did=(not_verified|still_disconnected)$/,
    );
    expect(led(await pages.post(`${incidentPath()}/resolve`, { override: 'yes', reason: '', for: '1h' }))[1]).toBe(
      `${incidentPath()}?did=malformed`,
    );
    expect(
      led(await pages.post(`${incidentPath()}/resolve`, { override: 'yes', reason: 'replaced', for: '1h' }))[1],
    ).toBe(`${incidentPath()}?did=overridden`);
    expect(await lastAudit()).toMatchObject({ actor: 'test', action: 'incident.override', reason: 'replaced' });
    const html = await pages.text(incidentPath());
    expect(html).toContain('Ended by hand by test, without a verification: replaced');
    // It is not told as one that was verified.
    expect(html).toContain('Nothing proved that it is over');
    expect(html).not.toMatch(/broken-well|>Resolved</);
    expect(await pages.text('/incidents?state=resolved')).toContain('Ended by hand');
  });
});

describe('a gate', () => {
  const gate = async () => {
    const [row] =
      await api.sql`select state, reason, hand, hand_actor, hand_reason from gate join service s on s.id = service_id where s.name = ${planted.service}`;
    return row;
  };

  it('is held, and released, by the person whose key it is', async () => {
    const back = incidentPath();
    const held = await pages.post(`${servicePath()}/hold`, { reason: 'wait for me', for: '30m', back });
    expect(led(held)).toEqual([303, `${back}?did=held`]);
    expect(await gate()).toEqual({
      state: 'held',
      reason: 'held_by_hand',
      hand: 'held',
      handActor: 'test',
      handReason: 'wait for me',
    });
    expect(await lastAudit()).toMatchObject({ actor: 'test', action: 'gate.hold', facts: { key: 'key_night' } });
    expect(led(await pages.post(`${servicePath()}/release`, { back: servicePath() }))[1]).toBe(
      `${servicePath()}?did=released`,
    );
    expect(led(await pages.post(`${servicePath()}/release`, { back: servicePath() }))[1]).toBe(
      `${servicePath()}?did=no_hand`,
    );
  });

  it('is not released by a form that was made before somebody else gave another order', async () => {
    const hold = { reason: 'wait for me', for: '30m', back: servicePath() };
    await pages.post(`${servicePath()}/hold`, hold);
    const order = /name="order" value="([^"]+)"/.exec(await pages.text(servicePath()))?.[1] ?? '';
    await pages.post(`${servicePath()}/hold`, { ...hold, for: '8h', reason: 'the disk is full' });
    expect(led(await pages.post(`${servicePath()}/release`, { order, back: servicePath() }))[1]).toBe(
      `${servicePath()}?did=other_order`,
    );
    expect(await gate()).toMatchObject({ hand: 'held', handReason: 'the disk is full' });
    const now = /name="order" value="([^"]+)"/.exec(await pages.text(servicePath()))?.[1] ?? '';
    expect(led(await pages.post(`${servicePath()}/release`, { order: now, back: servicePath() }))[1]).toBe(
      `${servicePath()}?did=released`,
    );
  });

  it('is forced open only by who says that they know what it means, and may', async () => {
    const order = { reason: 'customer waits', for: '15m', back: servicePath() };
    expect(led(await pages.post(`${servicePath()}/force-open`, order))[1]).toBe(`${servicePath()}?did=not_sure`);
    const writer = await openPages(api, await api.makeKey(['incidents:read', 'incidents:write', 'gate:read']));
    expect((await writer.post(`${servicePath()}/force-open`, { ...order, sure: 'yes' })).status).toBe(403);
    expect((await gate())?.hand).toBeNull();
    expect(led(await pages.post(`${servicePath()}/force-open`, { ...order, sure: 'yes' }))[1]).toBe(
      `${servicePath()}?did=forced_open`,
    );
    expect(await gate()).toMatchObject({ hand: 'open', reason: 'forced_open', handReason: 'customer waits' });
    expect(await lastAudit()).toMatchObject({ actor: 'test', action: 'gate.force_open', reason: 'customer waits' });
    expect(api.wakes.count).toBeGreaterThan(0);
    // No page shows it in the colour of what was verified.
    for (const path of [incidentPath(), servicePath()]) {
      expect(await pages.text(path)).toContain('badge-fail');
      expect(textOf(await pages.text(path))).toMatch(/Forced open \d+ s.*test: “customer waits”/);
    }
    const now = await pages.text('/');
    expect(now).toContain('Forced open, without verification');
    expect(/<h1[^>]*>([^<]*)</.exec(now)?.[1]).toContain('1 gate forced open');
  });

  it('is not moved by a form without a reason, of an unknown service, or that leads elsewhere', async () => {
    expect(led(await pages.post(`${servicePath()}/hold`, { for: '30m', back: servicePath() }))[1]).toBe(
      `${servicePath()}?did=malformed`,
    );
    expect((await pages.post('/services/nobody/hold', { reason: 'x', for: '1h' })).status).toBe(404);
    const away = await pages.post(`${servicePath()}/hold`, { reason: 'x', for: '1h', back: '//evil.example' });
    expect(away.headers.get('location')).toBe('/?did=held');
  });
});
