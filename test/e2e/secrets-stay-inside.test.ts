import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp, type HttpAnswer, type HttpCall } from '../support/call-http.ts';
import { type Dump, dumpDatabase, dumpRedis, readFolder } from '../support/dump-stores.ts';
import { handOver, postCallback } from '../support/hand-over.ts';
import { type InventedSecrets, inventSecrets } from '../support/invent-secrets.ts';
import { startNotifyServices } from '../support/notify-services.ts';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { readFeeds } from '../support/read-feeds.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { runCommand } from '../support/run-command.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { createScanner, type Finding } from '../support/scan-for-secrets.ts';
import { type SearchedStores, startOwnStores, useEmbeddedStore } from '../support/searched-stores.ts';
import { sendRaw } from '../support/send-raw.ts';
import { SOURCE, stackConfig } from '../support/stack-config.ts';
import { type Collector, startCollector } from '../support/start-collector.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';
import { visitPages } from '../support/visit-pages.ts';

/** Not a secret, and known to land in a sink: it must be found there by the same scanner. */
const CONTROL = `planted-${randomBytes(12).toString('hex')}`;
/** A tunnel's number, which may be shown, so that what is spooled about it can be found. */
const SPOOLED_TUNNEL = `4${Array.from({ length: 16 }, () => randomInt(10)).join('')}`;
const OTHER = 'other-agent';
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

const ABOUT_CALLBACKS = ['callbacks', 'reviews', 'reconciliations'];
const INVENTORY = ['services', 'sources', 'subjects', 'observations', 'notifications', 'channels'];
const LISTS = ['gates', 'incidents', 'blips', 'silences', ...ABOUT_CALLBACKS, ...INVENTORY];
const UNPAGED = new Set(['gates', 'channels']);

/** How a config names a variable of the environment. */
const fromEnv = (name: string) => `\${${name}}`;

describe.each([
  ['the embedded Postgres', useEmbeddedStore],
  ['a separate Postgres and Redis', startOwnStores],
])('with %s', (_name, startStores) => {
  let stores: SearchedStores;
  let world: World;
  let collector: Collector;
  let told: Awaited<ReturnType<typeof startNotifyServices>>;
  let stack: Stack;
  let sql: Sql;
  let secrets: InventedSecrets;
  const sinks = new Map<string, Buffer>();
  const controls = new Map<string, string>();

  /** Adds to a sink. */
  const collect = (sink: string, text: string | Buffer) =>
    sinks.set(sink, Buffer.concat([sinks.get(sink) ?? Buffer.alloc(0), Buffer.from(text), Buffer.from('\n')]));
  const collectAll = (sink: string, dump: Dump) => {
    for (const [place, bytes] of dump) collect(`${sink}: ${place}`, bytes);
  };
  const note = (sink: string) => (_call: unknown, answer: HttpAnswer) => collect(sink, answer.head + answer.text);
  const deadManUrl = () => `http://127.0.0.1:1/${secrets.deadManPath}`;
  const receiverUrl = () => stack.ready().receiverUrl;
  const hook = () => `${receiverUrl()}/hooks/localtonet/${secrets.hookSecret}`;
  const post = (body: unknown, call: HttpCall & { url?: string } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return callHttp(
      call.url ?? hook(),
      { method: 'POST', headers: JSON_TYPE, body: text, ...call },
      note('answers of the receiver'),
    );
  };

  beforeAll(async () => {
    stores = await startStores();
    world = await startWorld({ stoppedAppDelayMs: 300 });
    secrets = inventSecrets(world);
    told = await startNotifyServices(secrets);
    collector = await startCollector();
    const { probeUrls } = world;
    const probes = {
      liveness: { url: `${probeUrls.liveness}?key=${fromEnv('PROBE_QUERY')}` },
      readiness: { url: probeUrls.readiness, headers: { authorization: `Bearer ${fromEnv('PROBE_TOKEN')}` } },
      public: { url: `${probeUrls.public}?key=${fromEnv('PROBE_QUERY')}` },
      application: { url: probeUrls.application, headers: { authorization: `Bearer ${fromEnv('PROBE_TOKEN')}` } },
    };
    const sources = [
      { name: SOURCE, group: SOURCE, watch: 'all', secret: fromEnv('HOOK_SECRET') },
      { name: 'second', group: 'second', watch: 'all' },
    ];
    const localtonet = { baseUrl: world.account.baseUrl, apiKey: fromEnv('LOCALTONET_API_KEY'), pollEvery: '60s' };
    const traces = {
      url: collector.url,
      headers: { authorization: `Bearer ${fromEnv('OTLP_KEY')}` },
      allowPrivate: [`127.0.0.1/32:${collector.port}`],
    };
    stack = await startStack({
      config: stackConfig(world, {
        service: { name: CONTROL, probes, signingSecret: fromEnv('SIGNING_SECRET') },
        services: [{ name: OTHER, source: SOURCE, tunnel: '298499', probes: { liveness: probes.readiness } }],
        policy: { release: { retry: { attempts: 2, baseDelay: '100ms', maxDelay: '200ms' } } },
        // Nobody listens there: what is said about that must not say where.
        sections: {
          sources,
          localtonet,
          notify: told.section,
          deadMan: { url: fromEnv('DEAD_MAN_URL'), every: '1s' },
          traces,
        },
      }),
      env: {
        ...stores.env,
        LOG_LEVEL: 'trace',
        HOOK_SECRET: secrets.hookSecret,
        LOCALTONET_API_KEY: secrets.apiKey,
        PROBE_TOKEN: secrets.probeToken,
        PROBE_QUERY: secrets.probeQuery,
        SIGNING_SECRET: secrets.signingSecret,
        ...told.env,
        DEAD_MAN_URL: deadManUrl(),
        OTLP_KEY: secrets.otlpKey,
      },
      provokes: tellsOfLostDatabase,
      onAnswer: ({ method, url }, answer) => {
        // The key is given back to whoever handed it over, and to nobody else.
        const handedOver = method === 'POST' && url.endsWith('/v1/callbacks') && answer.status === 201;
        const text = handedOver ? answer.text.replace(secrets.idempotencyKey, '') : answer.text;
        collect('answers of the api', answer.head + text);
      },
    });
    sql = connect(databaseUrl(stack, stores.env), { application: 'test', connections: 1 });
    const { adminKey, sources: ready } = stack.ready();
    secrets.adminKey = adminKey;
    secrets.secondHookSecret = ready[1]?.webhookUrl.split('/').at(-1) ?? '';
    // Of a service whose config gives none: made at the first start, for its owner to read in this file.
    secrets.madeSigningSecret = readFileSync(join(stack.dataDir, `signing-secret-${OTHER}`), 'utf8').trim();
    secrets.databasePassword = decodeURIComponent(new URL(databaseUrl(stack, stores.env)).password);
    world.connectWebhook(hook());
  });
  afterAll(async () => {
    await sql?.end({ timeout: 1 });
    await stack?.close();
    await world?.close();
    await told?.close();
    await collector?.close();
    await stores?.remove();
  });

  const gate = () => stack.get<{ decision: string; state: string }>(`/v1/gates/${CONTROL}`);
  const decision = async (wanted: string) => until(`the gate is ${wanted}`, gate, (now) => now.decision === wanted);

  it('an outage, with credentials wherever they belong', async () => {
    await decision('allowed');
    world.account.setFault({ kind: 'malformed_json', body: `[{"token":"${secrets.deviceToken}"` }, { times: 1 });
    await world.account.deviceGoesOffline(world.deviceName);
    const url = `${world.callbackReceiver.url}/${secrets.callbackPath}?key=${secrets.callbackQuery}`;
    const content = { 'x-secret': secrets.callbackHeader, authorization: `Bearer ${secrets.callbackHeader}` };
    const callback = {
      service: CONTROL,
      url,
      headers: content,
      body: { secret: secrets.callbackBody, [secrets.callbackBody]: 1 },
      repeat: 'deduplicated',
    } as const;
    await handOver(stack, { ...callback, key: secrets.idempotencyKey });
    await handOver(stack, { ...callback, key: secrets.idempotencyKey });
    expect(
      (await postCallback(stack, { ...callback, key: secrets.idempotencyKey, body: secrets.callbackBody })).status,
    ).toBe(422);
    for (const path of ['fails', 'refuses', 'redirects', 'breaks']) {
      const body = secrets.destinationAnswer;
      const status = { fails: 500, refuses: 400, redirects: 302, breaks: 0 }[path] ?? 0;
      const headers = {
        location: `${world.callbackReceiver.url}/${secrets.callbackPath}`,
        'x-secret': secrets.callbackPath,
      };
      world.callbackReceiver.setBehaviourFor(
        `/${path}`,
        status === 0 ? { kind: 'commit_then_drop' } : { kind: 'answer', status, body, headers },
      );
      const to = `${world.callbackReceiver.url}/${path}?key=${secrets.callbackQuery}`;
      await handOver(stack, {
        ...callback,
        url: to,
        key: `${path}${secrets.idempotencyKey}`.slice(0, 60),
        repeat: 'forbidden',
      });
    }
    const incident = await until(
      'the incident',
      () => stack.get<{ items: { id: string }[] }>('/v1/incidents?state=open'),
      ({ items }) => items.length > 0,
    );
    await world.account.deviceComesBack(world.deviceName);
    await decision('allowed');
    const listed = () => stack.get<{ items: { id: string; state: string }[] }>('/v1/callbacks?limit=500');
    const ended = ['delivered', 'failed', 'needs_review'];
    const { items } = await until('all callbacks end', listed, (page) =>
      page.items.every(({ state }) => ended.includes(state)),
    );
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(ended));
    for (const { id, state } of items) {
      await stack.get(`/v1/callbacks/${id}`);
      if (state === 'needs_review') await stack.get(`/v1/reviews/${id}`);
    }
    for (const { id } of incident.items) await stack.get(`/v1/incidents/${id}`);
    world.agent.setMode(500);
    await world.account.tunnelDisconnects(world.tunnelId);
    await world.account.tunnelConnects(world.tunnelId);
    await until(
      'a failed verification',
      () => stack.events('verification.finished'),
      (lines) => lines.some(({ verdict }) => verdict === 'app_check_failed'),
    );
    world.agent.setMode('ok');
  });

  it('deliveries with credentials in every place, also where they do not belong', async () => {
    const dated = { ActionDate: new Date().toISOString(), Type: 'Token', Status: 'Disconnected' };
    const good = [
      { ...dated, Id: secrets.strangeToken },
      { ...dated, Id: secrets.tunnelName, Type: 'Tunnel' },
      { ...dated, Id: secrets.strangeToken, ActionDate: secrets.dateToken },
      {
        ...dated,
        Id: secrets.strangeToken,
        ActionDate: '0001-01-01T00:00:00',
        [secrets.fieldName]: secrets.fieldValue,
      },
      { ...dated, Id: secrets.strangeToken, extra: { [secrets.fieldName]: [secrets.fieldValue] } },
    ];
    for (const body of good) expect((await post(body)).status).toBe(202);
    const second = `${receiverUrl()}/hooks/localtonet/${secrets.secondHookSecret}`;
    expect((await post(good[0], { url: second })).status).toBe(202);

    const token = secrets.badBodyToken;
    const bad = [
      token,
      `"${JSON.stringify(token)}"`,
      `{"Id":${JSON.stringify(token)}`,
      `{"Id":"\\ud800${token.replaceAll('"', '')}"}`,
      { Id: token },
      { Id: [token], ActionDate: { [token]: token }, Type: token, Status: token },
      { ...dated, Id: `${token}\0` },
      { ...dated, Id: token.repeat(20) },
      { ...dated, Type: token, Id: token },
      { [token]: token },
      [token],
    ];
    for (const body of bad) expect((await post(body)).status).toBe(400);
    const headers = {
      ...JSON_TYPE,
      authorization: `Bearer ${secrets.headerValue}`,
      cookie: `a=${secrets.headerValue}`,
      'user-agent': secrets.headerValue,
      [`x-${secrets.headerValue}`]: secrets.headerValue,
    };
    expect((await post(good[0], { headers })).status).toBe(202);
    expect((await post(good[0], { headers: { 'content-type': secrets.headerValue } })).status).toBe(415);
    expect((await post(token.repeat(2000))).status).toBe(413);
  });

  it('secrets in paths and queries of every listener', async () => {
    const { apiUrl, adminUrls } = stack.ready();
    const body = { Id: secrets.strangeToken, ActionDate: secrets.dateToken, Type: 'Token', Status: 'Connected' };
    const paths = [
      `/hooks/localtonet/${secrets.wrongHookSecret}`,
      `/hooks/localtonet/${secrets.hookSecret}/x`,
      `/hooks/localtonet/${secrets.hookSecret}/`,
      `/hooks/${secrets.hookSecret}`,
      `/${secrets.hookSecret}?${secrets.hookSecret}=${secrets.hookSecret}`,
      `/hooks/localtonet/%00${secrets.wrongHookSecret}%ff`,
    ];
    for (const path of paths) expect((await post(body, { url: receiverUrl() + path })).status).toBe(404);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const answer = await callHttp(hook(), { method }, note('answers of the receiver'));
      expect(answer.status).toBe(404);
    }
    const ports = [receiverUrl(), apiUrl, ...Object.values(adminUrls).map((url) => url ?? '')];
    for (const url of ports)
      collect(
        'answers to broken requests',
        await sendRaw(url, `GET /${secrets.hookSecret} HTTP/9.9\r\n${secrets.headerValue}\r\n\r\n`),
      );
    for (const url of Object.values(adminUrls)) {
      for (const path of [
        `/${secrets.hookSecret}`,
        `/metrics?key=${secrets.adminKey}`,
        '/metrics',
        '/healthz',
        '/readyz',
      ]) {
        await callHttp(
          `${url}${path}`,
          { headers: { authorization: secrets.headerValue } },
          note('answers of admin ports'),
        );
      }
    }
  });

  it('requests to the api that are refused', async () => {
    const refused = async (path: string, call: HttpCall = {}) => {
      expect((await stack.call(path, call)).status).toBeGreaterThanOrEqual(400);
    };
    const wrong = encodeURIComponent(secrets.apiQuery);
    for (const key of [secrets.wrongApiKey, secrets.adminKey?.slice(0, -2), secrets.headerValue]) {
      await refused('/v1/gates', { headers: { authorization: `Bearer ${key}` } });
    }
    await refused('/v1/gates', {
      headers: { authorization: `Basic ${Buffer.from(`x:${secrets.adminKey}`).toString('base64')}` },
    });
    for (const list of [...LISTS, secrets.apiPath]) {
      await refused(`/v1/${list}/${secrets.apiPath}`);
      await refused(`/v1/${list}?cursor=${wrong}`);
      await refused(`/v1/${list}?${wrong}=${wrong}`);
      await refused(`/v1/${list}?limit=${wrong}`, {
        method: 'POST',
        headers: { [`x-${secrets.apiPath}`]: secrets.apiPath },
      });
    }
    const silence = { scope: 'service', target: secrets.apiPath, reason: CONTROL, for: '1h' };
    await refused('/v1/silences', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(silence) });
    const callback = {
      service: CONTROL,
      url: `https://example.org/?key=${secrets.callbackQuery}`,
      method: 'POST',
      safety: 'unsafe',
      repeat: 'forbidden',
    };
    const bodies: unknown[] = [
      secrets.callbackBody,
      `{"service":"${secrets.apiPath}"`,
      { ...callback, service: secrets.apiPath },
      { ...callback, url: `https://${secrets.callbackUser}:${secrets.callbackUser}@example.org/` },
      { ...callback, url: `ftp://${secrets.callbackPath}.example.org/` },
      { ...callback, headers: { [`bad ${secrets.callbackHeader}`]: 'x', cookie: `${secrets.callbackHeader}\r\nx: y` } },
      { ...callback, headers: { 'webhook-id': secrets.callbackHeader } },
      { ...callback, method: secrets.callbackPath },
      { ...callback, deadline: secrets.dateToken },
      { ...callback, [secrets.fieldName]: secrets.fieldValue },
      { ...callback, status: { url: secrets.callbackPath }, orderingKey: secrets.callbackPath },
      { ...callback, repeat: secrets.apiQuery, safety: secrets.apiQuery },
    ];
    for (const body of bodies) {
      const headers = { ...JSON_TYPE, 'idempotency-key': secrets.idempotencyKey };
      await refused('/v1/callbacks', {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    }
    for (const key of [`"${secrets.idempotencyKey}`, secrets.idempotencyKey.repeat(10), '']) {
      await refused('/v1/callbacks', {
        method: 'POST',
        headers: { ...JSON_TYPE, 'idempotency-key': key },
        body: JSON.stringify(callback),
      });
    }
  });

  it('pages for people, and forms with credentials where they do not belong', async () => {
    const note = (_call: unknown, { head, text }: HttpAnswer) =>
      // A session is told to the browser that it is for, and to nobody else.
      collect('pages', head.replaceAll(/tidegate_session=\w*/g, '') + text);
    secrets.session = await visitPages(stack, CONTROL, secrets, note);
  });

  it('feeds, the streams, and the reference', async () => {
    const told = await readFeeds(stack, {
      note: note('feeds'),
      key: stack.ready().adminKey,
      wrongKey: secrets.wrongApiKey,
      misplaced: { path: secrets.apiPath, query: secrets.apiQuery },
      service: CONTROL,
    });
    collect('stream of events', told.ofEvents);
    collect('stream of a gate', told.ofGate);
  });

  it('commands', async () => {
    const env = {
      ...stores.env,
      TIDEGATE_DATA_DIR: stack.dataDir,
      TIDEGATE_CONFIG: join(stack.folder, 'tidegate.yaml'),
      HOOK_SECRET: secrets.hookSecret,
    };
    const made = await runCommand(['keys', 'create', '--name', CONTROL, '--scopes', 'gate:read', '--json'], env);
    expect(made.code).toBe(0);
    secrets.madeKey = (JSON.parse(made.output) as { key: string }).key;
    expect(
      (await stack.call(`/v1/gates/${CONTROL}`, { headers: { authorization: `Bearer ${secrets.madeKey}` } })).status,
    ).toBe(200);
    // A secret of the config, and one of a file.
    for (const service of [CONTROL, OTHER]) {
      const order = ['signing-secrets', 'rotate', service, '--reason', CONTROL, '--yes', '--json'];
      secrets[`rotated ${service}`] = JSON.parse((await runCommand(order, env)).output).secret;
    }
    const wrongDatabase = { ...env, DATABASE_URL: `postgres://a:${secrets.headerValue}@127.0.0.1:1/x` };
    // What these say does not depend on the stores.
    const once = () => [
      runCommand(['keys', 'revoke', secrets.apiPath], wrongDatabase),
      runCommand(['check'], env),
      runCommand(['doctor', '--json'], wrongDatabase),
    ];
    // What doctor looks at, it looks at as the worker does.
    const { apiKey: LOCALTONET_API_KEY, probeToken: PROBE_TOKEN, probeQuery: PROBE_QUERY, signingSecret } = secrets;
    const own = { LOCALTONET_API_KEY, PROBE_TOKEN, PROBE_QUERY, SIGNING_SECRET: signingSecret, ...told.env };
    const asWorker = { ...env, ...own, DEAD_MAN_URL: deadManUrl(), OTLP_KEY: secrets.otlpKey };
    const runs = await Promise.all([
      ...['keys', 'signing-secrets'].map((name) => runCommand([name, 'list', '--json'], env)),
      runCommand(['doctor'], asWorker),
      ...(stores.redis === null ? once() : []),
    ]);
    for (const { output } of runs) collect('output of commands', output);
  });

  it('a database that is lost in the middle of it all', async () => {
    const url = databaseUrl(stack, stores.env);
    const cutting = setInterval(() => {
      sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name like 'tidegate%'`.catch(
        () => undefined,
      );
    }, 20);
    const body = { Id: secrets.strangeToken, Type: 'Token', Status: 'Disconnected' };
    const statuses = new Set<number>();
    const spooled = async () => {
      const files = await readFolder(join(stack.dataDir, 'spool'));
      const bytes = Buffer.concat([...files.values()]);
      if (bytes.length > (sinks.get('spool')?.length ?? 0) && bytes.includes(SPOOLED_TUNNEL)) sinks.set('spool', bytes);
    };
    controls.set('spool', SPOOLED_TUNNEL);
    for (let round = 0; round < 30; round += 1) {
      const ActionDate = new Date(Date.now() - round).toISOString();
      const answers = await Promise.allSettled([
        post({ ...body, ActionDate }),
        post({ ...body, ActionDate, Id: SPOOLED_TUNNEL, Type: 'Tunnel' }),
        post({ ...body, ActionDate: secrets.dateToken, [secrets.fieldName]: secrets.fieldValue }),
        post({ ...body, ActionDate, Id: secrets.tunnelName, Type: 'Tunnel' }),
        post({ [secrets.badBodyToken]: secrets.badBodyToken, round }),
        postCallback(stack, {
          service: CONTROL,
          url: `https://example.org/?key=${secrets.callbackQuery}`,
          key: `${round}${secrets.idempotencyKey}`.slice(0, 60),
          repeat: 'forbidden',
          body: secrets.callbackBody,
        }),
      ]);
      for (const answer of answers) if (answer.status === 'fulfilled') statuses.add(answer.value.status);
      await spooled();
    }
    clearInterval(cutting);
    expect([...statuses].filter((status) => ![201, 202, 400, 503].includes(status))).toEqual([]);
    // Deliveries and malformed bodies, sealed: more than a few of each.
    expect(
      sinks
        .get('spool')
        ?.toString('latin1')
        .match(/"kind":"delivery"/g)?.length,
    ).toBeGreaterThan(4);
    expect(sinks.get('spool')?.toString('latin1')).toContain('"kind":"body"');
    expect(statuses).toContain(503);
    await until(
      'it serves again',
      () => post({ ...body, ActionDate: new Date().toISOString() }),
      ({ status }) => status === 202,
    );
    await until(
      'the gate is told again',
      () => stack.call(`/v1/gates/${CONTROL}`),
      ({ status }) => status === 200,
    );
    expect(url).toContain('postgres');
  });

  it('all sinks are gathered, and a control is planted in each', async () => {
    // What was said, without the key that PagerDuty wants in the body.
    for (const { kind, taken } of told.services) {
      expect({ kind, taken: taken.length > 0 }).toEqual({ kind, taken: true });
      const said = taken.map(({ text }) => text.replace(`"routing_key":"${secrets.routingKey}"`, ''));
      collect(`notifications to ${kind}`, said.join('\n'));
      controls.set(`notifications to ${kind}`, CONTROL);
    }
    const rooms = ['record', 'correlate', 'verify', 'layer', 'release'];
    const isTold = (text: string) => rooms.every((room) => text.includes(`"name":"${room}"`));
    await until('spans of every room', () => collector.text(), isTold);
    collect('traces', collector.text());
    controls.set('traces', CONTROL);
    expect([...collector.keys]).toEqual([`Bearer ${secrets.otlpKey}`]);
    for (const list of LISTS) await stack.get(`/v1/${list}${UNPAGED.has(list) ? '' : '?limit=500'}`);
    for (const [app, url] of Object.entries(stack.ready().adminUrls)) {
      const { text } = await until(
        'the metrics',
        () => callHttp(`${url}/metrics`),
        ({ status }) => status === 200,
      );
      collect(`metrics of ${app}`, text);
      controls.set(`metrics of ${app}`, 'process_cpu_seconds_total');
    }
    for (const { pid, command } of stack.processes()) collect('command lines', `${pid} ${command}`);
    controls.set('command lines', stack.dataDir);
    controls.set('answers of admin ports', 'process_cpu_seconds_total');
    controls.set('answers to broken requests', 'HTTP/1.1 400 Bad Request');

    await sql.unsafe(`do $$ begin raise log '${CONTROL}'; end $$`);
    collectAll('table', await dumpDatabase(databaseUrl(stack, stores.env)));
    if (stores.redis !== null) {
      const redis = new Redis(stores.redis.port, '127.0.0.1');
      await redis.set(CONTROL, CONTROL);
      const heard = () => stores.redis?.commands.join('\n') ?? '';
      await until('the control is heard', heard, (text) => text.includes(CONTROL));
      redis.disconnect();
      collectAll('Redis', await dumpRedis(stores.redis.port));
      collect('Redis commands', heard());
    }
    // One sink has nothing but what the receiver says of itself: the id of an observation.
    const [row] = await sql<
      { id: string }[]
    >`select 'obs_' || replace(key::text, '-', '') as id from observation order by first_received_at desc limit 1`;
    controls.set('answers of the receiver', row?.id ?? '');

    // A database that ends in good order has written everything to its files.
    await sql.end();
    await stack.stop();
    await stores.stop();
    const { stdout, stderr } = stack.output();
    collect('printed', stdout + stderr);
    const isSecretFile = (path: string) =>
      /key|secret/i.test(path.split('/').at(-1) ?? '') || path.startsWith('keyring');
    const isElsewhere = (path: string) => isSecretFile(path) || path.startsWith('postgres/');
    collectAll('data folder', await readFolder(stack.dataDir, isElsewhere));
    collectAll('Postgres folder', await readFolder(stores.postgresFolder(stack), isSecretFile));
  });

  const scanAll = (scan: ReturnType<typeof createScanner>): Finding[] =>
    [...sinks].flatMap(([sink, bytes]) => scan(sink, bytes));
  const placesOf = (prefix: string) => [...sinks.keys()].filter((sink) => sink.startsWith(prefix));

  it('the control is found in each sink', () => {
    for (const [sink, control] of controls) {
      expect({ sink, found: createScanner({ control })(sink, sinks.get(sink) ?? '').length > 0 }).toEqual({
        sink,
        found: true,
      });
    }
    const found = scanAll(createScanner({ control: CONTROL })).map(({ sink }) => sink);
    const expected = [
      'printed',
      'answers of the api',
      'pages',
      'feeds',
      'stream of events',
      'stream of a gate',
      'output of commands',
      'table: public.service.name',
      'table: public.timeline_entry.why',
      ...(stores.redis === null
        ? ['Postgres folder: postgres.log']
        : [`Redis: key ${CONTROL}`, 'Redis: dump.rdb', 'Redis commands']),
    ];
    expect(found).toEqual(expect.arrayContaining(expected));
    for (const place of [
      'Postgres folder: cluster/base/',
      'Postgres folder: cluster/pg_wal/',
      'Postgres folder: postgres.log',
    ]) {
      expect({ place, found: found.some((sink) => sink.startsWith(place)) }).toEqual({ place, found: true });
    }
    const queue = stores.redis === null ? 'table: tidegate_queue.' : 'Redis: key tidegate_queue';
    expect(placesOf(queue).length).toBeGreaterThan(3);
    expect(placesOf('table: public.').length).toBeGreaterThan(100);
  });

  it(verifies('I3', 'and no secret is found in any, in any form'), () => {
    expect(Object.keys(secrets).length).toBeGreaterThan(27);
    expect(scanAll(createScanner(secrets))).toEqual([]);
  });

  it('while what is kept sealed can be found where it belongs', () => {
    const kept = readFileSync(join(stack.dataDir, 'admin-key'), 'utf8');
    expect(createScanner(secrets)('admin-key', kept).map(({ secret }) => secret)).toContain('adminKey');
    expect(world.callbackReceiver.requests.some(({ body }) => createScanner(secrets)('sent', body).length > 0)).toBe(
      true,
    );
  });
});
