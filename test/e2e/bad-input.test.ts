import { randomBytes } from 'node:crypto';
import type { ObservationPage } from '@tidegate/client';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp, type HttpAnswer, type HttpCall } from '../support/call-http.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { createScanner } from '../support/scan-for-secrets.ts';
import { verifies } from '../support/verifies.ts';

/** Stands for a token in every place where one could be sent by mistake. */
const TOKEN = `tok${randomBytes(24).toString('hex')}`;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const GOOD = { Id: '298487', ActionDate: '2026-11-30T10:00:00.1234567Z', Type: 'Tunnel', Status: 'Disconnected' };
const UNKNOWN_SECRET = randomBytes(16).toString('hex');
const CAP_BYTES = 16 * 1024;

let stack: Stack;
let sql: Sql;
let hook: string;
const answers: string[] = [];

beforeAll(async () => {
  stack = await startStack({ config: { sources: [{ name: 'home-lab', watch: 'all' }] } });
  sql = connect(databaseUrl(stack), { application: 'test', connections: 1 });
  hook = stack.ready().sources[0]?.webhookUrl ?? '';
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await stack?.close();
});

const post = (body: unknown, call: HttpCall & { url?: string } = {}): Promise<HttpAnswer> =>
  callHttp(
    call.url ?? hook,
    {
      method: 'POST',
      headers: JSON_TYPE,
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      ...call,
    },
    (_request, answer) => answers.push(answer.head + answer.text),
  );

/** Status, headers and body, without what differs from one request to the next. */
const comparable = ({ head, text }: HttpAnswer) =>
  `${head.replace(/^(date|keep-alive|connection)\n.*$/gim, '')}\n${text}`.replaceAll(/\n+/g, '\n');

describe('everything that is not a known webhook', () => {
  it(verifies('I3', 'is answered by one same 404, whatever is wrong with it'), async () => {
    const unknown = hook.replace(/[^/]+$/, UNKNOWN_SECRET);
    const { receiverUrl } = stack.ready();
    const expected = await post(GOOD, { url: unknown });
    expect(expected).toMatchObject({ status: 404 });
    expect(expected.headers['content-type']).toBe('application/problem+json');
    const same: Record<string, Promise<HttpAnswer>> = {
      'malformed body': post('{', { url: unknown }),
      'wrong type': post(GOOD, { url: unknown, headers: { 'content-type': 'text/plain' } }),
      'no body': post('', { url: unknown }),
      'an empty secret': post(GOOD, { url: hook.replace(/[^/]+$/, '') }),
      'something after the secret': post(GOOD, { url: `${hook}/x` }),
      'a slash after the secret': post(GOOD, { url: `${hook}/` }),
      'the secret in other letters': post(GOOD, { url: hook.replace(/[^/]+$/, (secret) => secret.toUpperCase()) }),
      'a broken escape': post(GOOD, { url: `${receiverUrl}/hooks/localtonet/%E0%A4%A` }),
      'an encoded slash': post(GOOD, { url: `${receiverUrl}/hooks/localtonet/..%2f..%2fetc` }),
      root: post(GOOD, { url: `${receiverUrl}/` }),
      'the health page, which is elsewhere': callHttp(`${receiverUrl}/healthz`),
      metrics: callHttp(`${receiverUrl}/metrics`),
      'GET of the hook': callHttp(hook),
      'PUT of the hook': post(GOOD, { method: 'PUT' }),
      'DELETE of the hook': callHttp(hook, { method: 'DELETE' }),
      'OPTIONS of the hook': callHttp(hook, { method: 'OPTIONS' }),
    };
    for (const [name, answer] of Object.entries(same)) {
      expect(`${name}: ${comparable(await answer)}`).toBe(`${name}: ${comparable(expected)}`);
    }
    expect(await callHttp(hook, { method: 'HEAD' })).toMatchObject({ status: 404, text: '' });
  });
});

describe('a body that is no webhook', () => {
  const { Id: _id, ...withoutId } = GOOD;
  const { Status: _status, ...withoutStatus } = GOOD;
  const utf16 = Buffer.from(JSON.stringify(GOOD), 'utf16le');
  const cases: [name: string, body: unknown, errors: [field: string, problem: string][]][] = [
    ['nothing', '', [['body', 'empty']]],
    ['text', TOKEN, [['body', 'syntax']]],
    ['half an object', `{"Id":"${TOKEN}"`, [['body', 'syntax']]],
    ['a list', [GOOD], [['body', 'not_an_object']]],
    ['a string', JSON.stringify(TOKEN), [['body', 'not_an_object']]],
    ['null', 'null', [['body', 'not_an_object']]],
    ['a byte order mark', `\ufeff${JSON.stringify(GOOD)}`, [['body', 'byte_order_mark']]],
    [
      'UTF-16',
      utf16,
      [
        ['body', 'bad_utf8'],
        ['body', 'nul'],
        ['body', 'syntax'],
      ],
    ],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), [['body', 'bad_utf8']]],
    ['a NUL', { ...GOOD, Id: `${TOKEN}\0` }, [['body', 'nul']]],
    [
      'a lone surrogate',
      `{"Id":"\\ud800${TOKEN}","ActionDate":"x","Type":"Token","Status":"Connected"}`,
      [['body', 'lone_surrogate']],
    ],
    [
      'a key twice',
      `{"Id":"${TOKEN}","Id":"b","ActionDate":"x","Type":"Token","Status":"Connected"}`,
      [['body', 'duplicate_key']],
    ],
    ['deep nesting', { ...GOOD, extra: [[[[[TOKEN]]]]] }, [['body', 'too_deep']]],
    ['no Id', withoutId, [['Id', 'missing']]],
    ['no Status', withoutStatus, [['Status', 'missing']]],
    ['names in lower case', { id: TOKEN, actionDate: TOKEN, type: 'Token', status: 'Connected' }, [['Id', 'missing']]],
    ['an empty Id', { ...GOOD, Id: '' }, [['Id', 'empty']]],
    ['a number as Id', { ...GOOD, Id: 298487 }, [['Id', 'not_a_string']]],
    ['a long Id', { ...GOOD, Id: TOKEN.repeat(20) }, [['Id', 'too_long']]],
    ['a token as Type', { ...GOOD, Type: TOKEN }, [['Type', 'not_allowed']]],
    ['a token as Status', { ...GOOD, Status: TOKEN }, [['Status', 'not_allowed']]],
    ['an object as ActionDate', { ...GOOD, ActionDate: { [TOKEN]: TOKEN } }, [['ActionDate', 'not_a_string']]],
    [
      'everything wrong',
      { Id: 1, ActionDate: TOKEN.repeat(2), Type: TOKEN, Status: TOKEN },
      [
        ['Id', 'not_a_string'],
        ['ActionDate', 'too_long'],
        ['Type', 'not_allowed'],
        ['Status', 'not_allowed'],
      ],
    ],
  ];

  it.each(cases)('%s: 400, naming the field', async (_name, body, allowed) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    const problem = answer.json<{ status: number; title: string; errors: { field: string; problem: string }[] }>();
    expect(problem).toMatchObject({ type: 'about:blank', status: 400, title: 'Bad Request' });
    const [first] = problem.errors;
    expect(allowed).toContainEqual([first?.field, first?.problem]);
  });

  it('is told in one go what is wrong with every field', async () => {
    const answer = await post({ Id: '', Type: TOKEN });
    expect(answer.json()).toMatchObject({
      errors: [
        { field: 'Id', problem: 'empty' },
        { field: 'ActionDate', problem: 'missing' },
        { field: 'Type', problem: 'not_allowed' },
        { field: 'Status', problem: 'missing' },
      ],
    });
  });
});

describe('a body of the wrong size or type', () => {
  const padded = (bytes: number) => {
    const shell = JSON.stringify({ ...GOOD, padding: '' });
    return JSON.stringify({ ...GOOD, padding: 'x'.repeat(bytes - shell.length) });
  };

  it.each([
    ['told beforehand', false],
    ['in chunks, without a length', true],
  ])('is refused by 413 beyond 16 KiB, %s', async (_name, chunked) => {
    expect((await post(padded(CAP_BYTES), { chunked })).status).toBe(202);
    const refused = await post(padded(CAP_BYTES + 1), { chunked });
    expect(refused.status).toBe(413);
    expect(refused.headers['content-type']).toBe('application/problem+json');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=x',
    '',
  ])('is refused by 415 as %s', async (type) => {
    const refused = await post(GOOD, { headers: type === '' ? {} : { 'content-type': type } });
    expect(refused.status).toBe(415);
    expect(refused.headers['content-type']).toBe('application/problem+json');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'is taken as %s',
    async (type) => {
      expect((await post(GOOD, { headers: { 'content-type': type } })).status).toBe(202);
    },
  );
});

describe('after all of that', () => {
  it('a good delivery is accepted, and repeated it is the same observation', async () => {
    const event = { ...GOOD, ActionDate: '2026-11-30T11:00:00Z' };
    const [first, second] = [await post(event), await post(event)];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(first.json()).toMatchObject({ repeat: false });
    expect(second.json()).toEqual({ observation: first.json().observation, repeat: true });
    const { items } = await stack.get<ObservationPage>('/v1/observations');
    expect(items.find(({ id }) => id === first.json().observation)).toMatchObject({ deliveries: 2 });
  });

  it('nothing but what was accepted is stored', async () => {
    const [row] = await sql<{ observations: number; subjects: number }[]>`
      select (select count(*)::int from observation) as observations, (select count(*)::int from subject) as subjects`;
    expect(row).toEqual({ observations: 2, subjects: 1 });
  });

  it(verifies('I3', 'no value that was sent is in an answer or a log line'), async () => {
    const scan = createScanner({
      token: TOKEN,
      'unknown secret': UNKNOWN_SECRET,
      secret: hook.split('/').at(-1) ?? '',
    });
    const { stdout, stderr } = stack.output();
    expect(answers.length).toBeGreaterThan(30);
    expect([...scan('answers', answers.join('\n')), ...scan('log', stdout + stderr)]).toEqual([]);
    expect(stack.events('delivery.rejected').length).toBeGreaterThan(30);
  });
});
