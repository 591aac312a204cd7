import { readFileSync } from 'node:fs';
import { problemSchema } from '@tidegate/client';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import jsonFeedSchema from 'jsonfeed-schema/schema-v1.1.json' with { type: 'json' };
import { RelaxNGValidator, XmlDocument } from 'libxml2-wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { toXml } from './to-xml.ts';

const NASTY = 'mac <b>&"mini"\u0007\u{1F680}';
let test: TestApi;
let limited: string;

async function plantIncident(id: string, services: string[], minutesAgo: number): Promise<void> {
  const group = await plantSubject(test.sql, `dev_${id.slice(4)}`, NASTY);
  await test.sql`insert into incident (id, kind, group_id, opened_at, summary)
                 values (${id}, 'device', ${group}, now() - make_interval(mins => ${minutesAgo}), ${`Device ${NASTY} is disconnected; held: ${services.join(', ')}.`})`;
  await test.sql`insert into incident_service select ${id}, id from service where name = any(${services}::text[])`;
  await tell(id, 'incident.opened', `Opened around ${NASTY}.`, minutesAgo);
  for (const name of services) await tell(id, 'gate.held', `The gate of ${name} was held.`, minutesAgo);
}
const tell = (id: string, event: string, why: string, minutesAgo: number) =>
  test.sql`insert into timeline_entry (incident_id, at, event, why) values (${id}, now() - make_interval(mins => ${minutesAgo}), ${event}, ${why})`;

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'payroll']);
  await plantIncident('inc_older', ['agent', 'payroll'], 30);
  await plantIncident('inc_newer', ['payroll'], 20);
  limited = await test.makeKey(['incidents:read'], { services: ['agent'] });
}, 60_000);

const basic = (key: string, name = 'reader') => ({
  authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`,
});
const get = (kind: 'atom' | 'json', headers: Record<string, string> = {}, key = test.adminKey) =>
  test.call(`/feeds/incidents.${kind}`, { key: null, headers: { ...basic(key), ...headers } });

/** @throws what does not fit the schema of RFC 4287 */
function validateAtom(xml: string): void {
  const schema = XmlDocument.fromBuffer(readFileSync(new URL('../../test/atom.rng', import.meta.url)));
  const validator = RelaxNGValidator.fromDoc(schema);
  const document = XmlDocument.fromString(xml);
  try {
    validator.validate(document);
  } finally {
    for (const one of [document, validator, schema]) one.dispose();
  }
}

/** The published schema of JSON Feed 1.1; its drafts and formats are older than ajv's own, and are not what is looked at. */
function jsonFeedValidator() {
  const { $schema: _, ...rest } = jsonFeedSchema;
  return new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(rest);
}

describe('both feeds', () => {
  it('are read by a published parser, newest change first, and say the same', async () => {
    const atomAnswer = await get('atom');
    expect(atomAnswer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const atom = parseAtomFeed(await atomAnswer.text());
    const jsonAnswer = await get('json');
    expect(jsonAnswer.headers.get('content-type')).toBe('application/feed+json; charset=utf-8');
    const json = parseJsonFeed(await jsonAnswer.text());
    const shown = `Open: Device ${NASTY.replace('\u0007', '')} is disconnected; held: payroll.`;
    expect(atom.entries?.map(({ title }) => title?.value ?? title)[0]).toBe(shown);
    expect(json.items?.[0]?.title?.replace('\u0007', '')).toBe(shown);
    expect(atom.entries?.map(({ id }) => id)).toEqual(json.items?.map(({ id }) => id));
    expect(atom.entries?.map(({ updated }) => updated)).toEqual(json.items?.map(({ date_modified }) => date_modified));
    expect(atom.id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(json.items?.[0]?.content_text).toContain('The gate of payroll was held.');
  });

  it('the Atom one fits the schema of its RFC', async () => {
    const xml = await (await get('atom')).text();
    expect(xml).toContain('inc_newer');
    validateAtom(xml);
    expect(() => validateAtom(xml.replace(/<updated>[^<]*</, '<updated>yesterday<'))).toThrow(/updated/);
    expect(() => validateAtom(xml.replace(/<entry><id>[^<]*<\/id>/, '<entry>'))).toThrow(/entry/);
    expect(() => validateAtom(xml.replace(/<id>[^<]*</, '<id>inc_newer<'))).toThrow(/id/);
  });

  it('the JSON one fits the published schema', async () => {
    const validate = jsonFeedValidator();
    const feed = (await (await get('json')).json()) as { items: unknown[] };
    validate(feed);
    expect(validate.errors).toBeNull();
    expect(validate({ ...feed, items: [{ title: 'no id' }] })).toBe(false);
  });

  it('lead to pages by absolute links once the config says where they are, and by relative ones before', async () => {
    const { call } = await test.another({ pageUrl: 'https://tide.example.org/' });
    const read = async (path: string, from = call) =>
      (await from(path, { key: null, headers: basic(test.adminKey) })).text();
    const atom = await read('/feeds/incidents.atom');
    const hrefs = (text: string) => [...text.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href).slice(0, 3);
    const paths = ['/feeds/incidents.atom', '/', '/incidents/inc_newer'];
    expect(hrefs(atom)).toEqual(paths.map((path) => `https://tide.example.org${path}`));
    expect(hrefs(await read('/feeds/incidents.atom', test.call))).toEqual(paths);
    const json = parseJsonFeed(await read('/feeds/incidents.json'));
    expect(json).toMatchObject({
      home_page_url: 'https://tide.example.org/',
      feed_url: 'https://tide.example.org/feeds/incidents.json',
    });
    expect(json.items?.map(({ url }) => url)).toContain('https://tide.example.org/incidents/inc_newer');
    expect(await read('/feeds/incidents.json', test.call)).not.toMatch(/"(?:home_page_|feed_)?url"/);
    validateAtom(atom);
  });

  it('keep the ids of entries when the incident changes, and move it to the front', async () => {
    const before = parseJsonFeed(await (await get('json')).text());
    await tell('inc_older', 'incident.noted', 'Note by Ann: looking.', 0);
    const after = parseJsonFeed(await (await get('json')).text());
    expect(after.items?.map(({ id }) => id)).toEqual(before.items?.map(({ id }) => id).toReversed());
    expect(after.items?.[0]?.date_modified).not.toBe(before.items?.[1]?.date_modified);
    expect(after.items?.[0]?.date_published).toBe(before.items?.[1]?.date_published);
  });

  it.each(['atom', 'json'] as const)('answer 304 to who knows the %s one, by tag or by date', async (kind) => {
    await test.sql`update timeline_entry set at = now() - interval '10 minutes' where event = 'incident.noted'`;
    const first = await get(kind);
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(Date.parse(modified)).toBeGreaterThan(0);
    const yesterday = new Date(Date.parse(modified) - 86_400_000).toUTCString();
    const statuses = async (headers: Record<string, string>) => (await get(kind, headers)).status;
    expect(await statuses({ 'if-none-match': etag })).toBe(304);
    expect(await statuses({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200);
    expect(await statuses({ 'if-modified-since': modified })).toBe(304);
    expect(await statuses({ 'if-modified-since': yesterday })).toBe(200);
    expect(await statuses({ 'if-modified-since': 'soon' })).toBe(200);
    expect(await (await get(kind, { 'if-none-match': etag })).text()).toBe('');
    await tell('inc_newer', 'incident.noted', 'Another note.', 0);
    expect(await statuses({ 'if-none-match': etag })).toBe(200);
    // What happens in this second cannot be told apart by a date.
    expect((await get(kind)).headers.has('last-modified')).toBe(false);
    await test.sql`delete from timeline_entry where why = 'Another note.'`;
  });

  it.each(['atom', 'json'] as const)('show a limited key its own services only: %s', async (kind) => {
    const text = await (await get(kind, {}, limited)).text();
    expect(text).not.toMatch(/payroll|inc_newer/);
    expect(text).toContain('agent');
    expect(parseJsonFeed(await (await get('json', {}, limited)).text()).items).toHaveLength(1);
  });

  it('take an API key with the scope as the password of Basic, under any name, or as a bearer, and nothing else', async () => {
    const wrong = await test.makeKey(['gate:read']);
    const status = async (headers: Record<string, string>) =>
      (await test.call('/feeds/incidents.atom', { key: null, headers })).status;
    expect(await status(basic(test.adminKey, ''))).toBe(200);
    expect(await status(basic(wrong))).toBe(403);
    expect(await status({ authorization: `Bearer ${test.adminKey}` })).toBe(200);
    expect(await status({ authorization: `Bearer ${wrong}` })).toBe(403);
    expect(await status({ authorization: test.adminKey })).toBe(401);
    expect(await status({ authorization: `Basic ${Buffer.from(test.adminKey).toString('base64')}` })).toBe(401);
    const answer = await test.call('/feeds/incidents.atom', { key: null });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="tidegate".*, Bearer realm="tidegate"$/);
    expect(problemSchema.parse(await answer.json())).toMatchObject({
      code: 'key_missing',
      detail: expect.stringMatching(/^An API key is needed, .*Basic.*Bearer tdg_/),
    });
    expect(await status(basic('tdg_0123456789abcdefghij'))).toBe(401);
  });

  it('are valid when there is nothing to tell', async () => {
    const none = await test.makeKey(['incidents:read'], { services: ['elsewhere'] });
    expect(parseAtomFeed(await (await get('atom', {}, none)).text())).toMatchObject({
      title: { value: 'Tidegate incidents' },
    });
    expect(jsonFeedValidator()(await (await get('json', {}, none)).json())).toBe(true);
  });
});

/** Whether XML 1.0 has no place for a character. */
function cannotBe(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isControl = code < 0x20 && ![0x09, 0x0a, 0x0d].includes(code);
  return isControl || code === 0xfffe || code === 0xffff || (code >= 0xd800 && code <= 0xdfff);
}

describe('XML', () => {
  it('holds any text, without what XML cannot hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const xml = toXml({ name: 'a', attributes: { b: text }, content: text });
        const body = xml.slice(xml.indexOf('\n') + 1);
        expect([...body].filter(cannotBe)).toEqual([]);
        expect(body.match(/[<>]/g)).toHaveLength(4);
        expect(body.match(/"/g)).toHaveLength(2);
        expect(body.replaceAll(/&(?:amp|lt|gt|quot|#39|#13);/g, '')).not.toContain('&');
      }),
    );
  });
});
