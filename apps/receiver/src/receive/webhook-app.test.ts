import { AppError } from '@tidegate/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { openConnection, post } from '../../test/open-connection.ts';
import { HOOK, SECRET, startTestListener, type TestListener, webhook } from '../../test/start-test-listener.ts';

let listener: TestListener;
beforeAll(async () => {
  listener = await startTestListener();
});
afterAll(() => listener.close());
beforeEach(() => {
  listener.submitted.length = 0;
  listener.rejected.length = 0;
  listener.tallied.length = 0;
});

const deliver = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  listener.send(post(HOOK, body, headers));

describe('a delivery from a known source', () => {
  it('is answered 202 with the id of its observation, the same for an exact repeat', async () => {
    const first = await deliver(webhook({ Id: '41' }));
    expect(first.status).toBe(202);
    expect(first.head.toLowerCase()).toContain('\ncontent-type: application/json\n');
    expect(first.head.toLowerCase()).toContain('\ncache-control: no-store\n');
    expect(first.body).toMatch(/^\{"observation":"obs_[0-9a-f]{32}","repeat":false\}$/);
    const again = await deliver(webhook({ Id: '41' }));
    expect(again.body).toBe(first.body.replace('false', 'true'));
    expect(listener.rejected).toEqual([]);
  });

  it('reaches the commit as it was sent, in our words', async () => {
    await deliver(webhook({ Status: 'Connected', Note: 1, 'not a name': 2 }));
    const [item] = listener.submitted;
    expect(item?.subject).toMatchObject({ group: 'home-lab', type: 'tunnel', id: '298487' });
    expect(item?.delivery).toMatchObject({
      sourceId: 1,
      status: 'connected',
      zone: 'utc',
      actionDate: '2026-11-30T01:02:03.1234567Z',
      sealedActionDate: null,
      extraFields: 'Note',
      extraUnnamed: 1,
    });
    expect(item?.delivery.deliveryId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it(verifies('I3', 'is counted, and described without a value'), async () => {
    await deliver(webhook({ Id: '43', Note: 'AAAA-a-token', 'not a name': 1 }), { 'x-token': 'AAAA-another' });
    await deliver('{');
    await deliver(webhook(), { 'Content-Type': 'text/plain' });
    expect(listener.tallied.map(([source, outcome]) => [source, outcome])).toEqual([
      [1, 'recorded'],
      [1, 'malformed'],
      [1, 'media_type'],
    ]);
    const report = listener.tallied[0]?.[2]?.();
    expect(report).toMatchObject({
      contentType: 'application/json; charset=utf-8',
      dateShape: '9999-99-99T99:99:99.9999999Z',
      extraFields: ['Note'],
    });
    expect(report?.headers).toContain('x-token');
    expect(JSON.stringify(report)).not.toMatch(/AAAA|2026/);
  });

  it(verifies('I3', 'is described without a value, too, when it is not understood'), async () => {
    const sent = { id: 'AAAA-a-token', State: 'AAAA', ActionDate: '30.11.2026 AAAA', 'AAAA-a-key': 1 };
    await deliver(JSON.stringify(sent), { 'x-token': 'AAAA-another' });
    await deliver(webhook({ Id: 'AAAA' }), { 'Content-Type': 'text/plain; boundary=AAAA' });
    await deliver('Id=AAAA&Status=Disconnected', { 'Content-Type': 'application/AAAA' });
    await deliver(webhook({ Pad: 'A'.repeat(17_000) }));
    const reports = listener.tallied.map(([source, outcome, report]) => [source, outcome, report?.()]);
    expect(reports).toMatchObject([
      [
        1,
        'malformed',
        {
          problems: ['Id missing', 'Type missing', 'Status missing'],
          fields: ['id', 'State', 'ActionDate'],
          unnamed: 1,
          dateShape: '99.99.9999 AAAA',
          contentType: 'application/json; charset=utf-8',
        },
      ],
      [
        1,
        'media_type',
        {
          problems: ['content-type not_allowed'],
          contentType: 'text/plain',
          fields: ['Id', 'ActionDate', 'Type', 'Status'],
        },
      ],
      [1, 'media_type', { contentType: 'another', bytes: 27 }],
      [1, 'too_large', { problems: ['body too_large'] }],
    ]);
    expect(reports[3]?.[2]).not.toHaveProperty('fields');
    expect(JSON.stringify(reports).replaceAll('99.99.9999 AAAA', '')).not.toMatch(/AAAA|2026|Disconnected/);
  });

  it(verifies('I3', 'keeps text that is no date sealed, since it may be anything'), async () => {
    const token = 'AAAA-not-a-date-but-a-token';
    expect((await deliver(webhook({ ActionDate: token }))).status).toBe(202);
    const delivery = listener.submitted[0]?.delivery;
    expect(delivery).toMatchObject({ ticks: null, zone: null, actionDate: null });
    expect(delivery?.sealedActionDate?.includes(token)).toBe(false);
  });

  it('may come many at a time over one connection', async () => {
    const connection = await openConnection(listener.port);
    connection.send(Buffer.concat([0, 1, 2].map((id) => post(HOOK, webhook({ Id: `7${id}` })))));
    const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
    connection.abort();
  });

  it('is answered 503 while it cannot be recorded, and told when to come back', async () => {
    const failures = [
      () => Promise.reject(new AppError({ code: 'store_unavailable', publicMessage: 'away', retryable: true })),
      () => Promise.reject(new Error(`a bug that quotes ${SECRET}`)),
      () => Promise.resolve({ kind: 'refused' } as const),
    ];
    for (const failure of failures) {
      listener.next.push(failure);
      const answer = await deliver(webhook());
      expect(answer.status).toBe(503);
      expect(answer.head.toLowerCase()).toContain('\nretry-after: 5');
      expect(answer.body).not.toContain(SECRET);
    }
    expect(listener.rejected.map(({ reason }) => reason)).toEqual(['unavailable', 'unavailable', 'refused']);
  });
});

describe(verifies('I3', 'everything but a known source'), () => {
  const request = (line: string, headers = 'Host: hooks.example.org\r\n') => `${line} HTTP/1.1\r\n${headers}\r\n`;
  const body = webhook();

  it('gets one and the same 404, byte for byte', async () => {
    const unknown = await listener.send(post('/hooks/localtonet/k7wq2m5x9d3v8h4t6n1s', body));
    expect(unknown.status).toBe(404);
    expect(unknown.body).toBe('{"type":"about:blank","title":"Not Found","status":404}');
    const others = [
      post('/', body),
      post('/hooks/localtonet/', body),
      post(`${HOOK}/`, body),
      post(`${HOOK}/more`, body),
      post(`/HOOKS/localtonet/${SECRET}`, body),
      post(`/hooks/localtonet/%00`, body),
      post(`/hooks/localtonet/%FF%FE`, body),
      post(`/hooks/localtonet/${'a'.repeat(4000)}`, body),
      post('/hooks/localtonet/k7wq2m5x9d3v8h4t6n1s', 'not json', { 'Content-Type': 'text/plain' }),
      post('/hooks\\localtonet', body),
      request(`GET ${HOOK}`),
      request(`PUT ${HOOK}`, 'Host: hooks.example.org\r\nContent-Length: 0\r\n'),
      request(`DELETE ${HOOK}`),
      request('GET /metrics'),
      request('GET /healthz'),
      request('OPTIONS *'),
      request('GET http://hooks.example.org/'),
      request(`GET ${HOOK}`, 'Host: not a host\r\n'),
    ];
    for (const text of others) expect(await listener.send(text)).toEqual(unknown);
    expect(listener.submitted).toEqual([]);
  });

  it('leaves no trace of what was asked in what is reported of it', async () => {
    await listener.send(post('/hooks/localtonet/some-guess', body));
    await listener.send(request('GET /some/path?with=a-query'));
    expect(listener.rejected).toEqual([
      { status: 404, reason: 'not_found', source: null },
      { status: 404, reason: 'not_found', source: null },
    ]);
  });
});

describe('a body of a known source that is not understood', () => {
  it('is kept with its first problem, or looked into when it is too large, before it is answered', async () => {
    listener.quarantined.length = 0;
    expect((await deliver(webhook({ Status: 'Paused', Type: 4 }))).status).toBe(400);
    expect((await deliver(webhook(), { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await deliver('x'.repeat(17_000))).status).toBe(413);
    await deliver(webhook());
    expect(listener.quarantined).toEqual(['Type:not_a_string', 'content-type:not_allowed', 'recheck']);
    expect(listener.tallied.map(([, outcome]) => outcome)).toEqual([
      'malformed',
      'media_type',
      'too_large',
      expect.stringMatching(/recorded|repeated/),
    ]);
  });

  it('is nobody’s when its secret is unknown or its address may not post, and answered as ever', async () => {
    const elsewhere = await startTestListener({ rules: { allowFrom: ['203.0.113.0/24'], trustedProxies: [] } });
    try {
      listener.quarantined.length = 0;
      const unknown = '/hooks/localtonet/k7wq2m5x9d3v8h4t6n1s';
      const large = 'x'.repeat(17_000);
      const known = await deliver(large);
      listener.quarantined.length = 0;
      for (const [body, type] of [
        ['{', 'application/json'],
        [webhook(), 'text/plain'],
      ] as const) {
        const headers = { 'Content-Type': type };
        expect((await listener.send(post(unknown, body, headers))).status).toBe(404);
        expect((await elsewhere.send(post(HOOK, body, headers))).status).toBe(404);
      }
      expect(await listener.send(post(unknown, large))).toEqual(known);
      expect(await elsewhere.send(post(HOOK, large))).toEqual(known);
      expect([...listener.quarantined, ...elsewhere.quarantined]).toEqual([]);
      expect(elsewhere.tallied.map(([, outcome]) => outcome)).toEqual(['not_allowed', 'not_allowed', 'not_allowed']);
    } finally {
      await elsewhere.close();
    }
  });

  it.each([
    ['kept', '{', {}],
    ['kept, of another type,', webhook(), { 'Content-Type': 'text/plain' }],
    ['looked into', 'x'.repeat(17_000), {}],
  ])('is answered 503 while it cannot be %s', async (_, body, headers) => {
    listener.quarantineFailure = new AppError({ code: 'store_unavailable', publicMessage: 'away', retryable: true });
    const answer = await deliver(body, headers).finally(() => {
      listener.quarantineFailure = null;
    });
    expect(answer.status).toBe(503);
    expect(answer.head.toLowerCase()).toContain('\nretry-after: 5\n');
    if (body.length > 16_384) expect(answer.head.toLowerCase()).toContain('\nconnection: close');
    expect(listener.rejected.at(-1)).toMatchObject({ reason: 'unavailable', source: 'home-lab' });
  });
});

describe('where a request comes from', () => {
  it('makes it an unknown path, byte for byte, when that is not allowed, and is read from a trusted proxy only', async () => {
    const behind = await startTestListener({
      rules: { allowFrom: ['203.0.113.0/24'], trustedProxies: ['127.0.0.0/8'] },
    });
    const direct = await startTestListener({ rules: { allowFrom: ['203.0.113.0/24'], trustedProxies: [] } });
    try {
      const from = (via: TestListener, client: string) =>
        via.send(post(HOOK, webhook(), { 'X-Forwarded-For': client }));
      const unknown = await behind.send(post('/hooks/localtonet/k7wq2m5x9d3v8h4t6n1s', webhook()));
      expect((await from(behind, '198.51.100.1, 203.0.113.9')).status).toBe(202);
      expect(await from(behind, '203.0.113.9, 198.51.100.1')).toEqual(unknown);
      expect(await from(behind, '203.0.113.9:80')).toEqual(unknown);
      expect(await from(direct, '203.0.113.9')).toEqual(unknown);
      expect([behind.submitted.length, direct.submitted.length]).toEqual([1, 0]);
    } finally {
      await Promise.all([behind.close(), direct.close()]);
    }
  });
});

describe('a body that is no Localtonet webhook', () => {
  /** Text that must not come back, in any spelling. */
  const CANARY = 'c4n4ry-value';
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const cases: readonly (readonly [string, string | Buffer, readonly { field: string; problem: string }[]])[] = [
    ['nothing at all', '', [{ field: 'body', problem: 'empty' }]],
    ['no JSON', `{"Id": ${CANARY}`, [{ field: 'body', problem: 'syntax' }]],
    ['a list', `["${CANARY}"]`, [{ field: 'body', problem: 'not_an_object' }]],
    ['a word', `"${CANARY}"`, [{ field: 'body', problem: 'not_an_object' }]],
    ['a byte order mark', `\ufeff${webhook()}`, [{ field: 'body', problem: 'byte_order_mark' }]],
    [
      'bytes that are no UTF-8',
      Buffer.from(`{"Id":"\xff${CANARY}"}`, 'latin1'),
      [{ field: 'body', problem: 'bad_utf8' }],
    ],
    ['an escaped NUL', webhook({ Id: `${CANARY}\u0000` }), [{ field: 'body', problem: 'nul' }]],
    ['a raw NUL', `{"Id":"\u0000${CANARY}"}`, [{ field: 'body', problem: 'nul' }]],
    ['a lone surrogate', `{"Id":"\\ud800${CANARY}"}`, [{ field: 'body', problem: 'lone_surrogate' }]],
    [
      'a lone surrogate in a name',
      webhook().replace('{', '{"\\udc00":1,'),
      [{ field: 'body', problem: 'lone_surrogate' }],
    ],
    ['a key twice', webhook().replace('{', `{"Id":"${CANARY}",`), [{ field: 'body', problem: 'duplicate_key' }]],
    [
      'a key twice, escaped',
      webhook().replace('{', `{"\\u0049d":"${CANARY}",`),
      [{ field: 'body', problem: 'duplicate_key' }],
    ],
    ['deep nesting', webhook().replace('{', `{"x":${nested(9)},`), [{ field: 'body', problem: 'too_deep' }]],
    ['thousands of brackets', `${'['.repeat(8000)}${']'.repeat(8000)}`, [{ field: 'body', problem: 'too_deep' }]],
    [
      'names in the wrong case',
      '{"id":"1","actionDate":"x","type":"Tunnel","status":"Connected"}',
      ['Id', 'ActionDate', 'Type', 'Status'].map((field) => ({ field, problem: 'missing' })),
    ],
    [
      'empty strings',
      webhook({ Id: '', ActionDate: '', Type: '', Status: '' }),
      ['Id', 'ActionDate', 'Type', 'Status'].map((field) => ({ field, problem: 'empty' })),
    ],
    ['a number as id', webhook({ Id: 298487 }), [{ field: 'Id', problem: 'not_a_string' }]],
    ['null', webhook({ Id: null }), [{ field: 'Id', problem: 'not_a_string' }]],
    ['an id too long', webhook({ Id: CANARY.repeat(100) }), [{ field: 'Id', problem: 'too_long' }]],
    ['a type in the wrong case', webhook({ Type: 'tunnel' }), [{ field: 'Type', problem: 'not_allowed' }]],
    ['a status of its own', webhook({ Status: CANARY }), [{ field: 'Status', problem: 'not_allowed' }]],
    [
      'a prototype',
      '{"__proto__":{"Id":"1"}}',
      ['Id', 'ActionDate', 'Type', 'Status'].map((field) => ({ field, problem: 'missing' })),
    ],
  ];

  it.each(cases)(verifies('I3', 'is answered 400, naming fields and never values: %s'), async (_name, body, errors) => {
    const answer = await deliver(body);
    expect(answer.status).toBe(400);
    expect(answer.head.toLowerCase()).toContain('\ncontent-type: application/problem+json');
    expect(JSON.parse(answer.body)).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The body is not a Localtonet webhook.',
      errors,
    });
    expect(answer.body).not.toContain(CANARY);
    expect(listener.submitted).toEqual([]);
    expect(listener.rejected).toEqual([{ status: 400, reason: 'malformed', source: 'home-lab' }]);
  });

  it.each(['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', ''])(
    'is answered 415 when it does not say that it is JSON but "%s"',
    async (type) => {
      expect((await deliver(webhook(), { 'Content-Type': type })).status).toBe(415);
      expect(listener.rejected).toEqual([{ status: 415, reason: 'media_type', source: 'home-lab' }]);
    },
  );

  it.each(['application/json', 'APPLICATION/JSON', 'application/json;charset=utf-8', 'application/json ; a=b'])(
    'may say so as "%s"',
    async (type) => {
      expect((await deliver(webhook(), { 'Content-Type': type })).status).toBe(202);
    },
  );

  it('is answered 413 above 16 KiB, and accepted at 16 KiB', async () => {
    const filled = (bytes: number) => {
      const start = webhook({ Pad: '' }).slice(0, -2);
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
    };
    expect((await deliver(filled(16 * 1024))).status).toBe(202);
    const answer = await deliver(filled(16 * 1024 + 1));
    expect(answer.status).toBe(413);
    expect(answer.head.toLowerCase()).toContain('\nconnection: close');
    expect(listener.rejected).toEqual([{ status: 413, reason: 'too_large', source: 'home-lab' }]);
  });
});
