import { createAddressGuard, createNotifier, type Notifier, type NotifyTarget } from '@tidegate/outbound';
import { type MailServer, type MailServerOptions, startMailServer } from '@tidegate/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSelfSigned } from '../../packages/outbound/test/self-signed.ts';
import { makeMessage } from '../support/make-message.ts';
import { verifies } from '../support/verifies.ts';

const HOST = 'mail.example';
const LOGIN = { user: 'tidegate', password: 'invented-mail-password' };
const certificate = makeSelfSigned(HOST);
const TLS = { key: certificate.key, cert: certificate.cert };

let server: MailServer;
let notifier: Notifier;
beforeEach(() => {
  const guard = createAddressGuard({
    allowPrivate: ['127.0.0.1/32'],
    denied: [],
    lookup: async () => ['127.0.0.1'],
    extraCa: certificate.cert,
  });
  notifier = createNotifier({ guard, secrets: [] });
});
afterEach(async () => {
  await notifier.close();
  await server.close();
});

type MailTarget = Extract<NotifyTarget, { type: 'smtp' }>;
const start = async (options: MailServerOptions) => {
  server = await startMailServer(options);
};
const target = (more: Partial<MailTarget> = {}): MailTarget => ({
  type: 'smtp',
  host: HOST,
  port: server.port,
  security: 'starttls',
  user: LOGIN.user,
  password: LOGIN.password,
  from: 'tidegate@example.org',
  to: ['oncall@example.org', 'second@example.org'],
  ...more,
});
const send = (more: Partial<MailTarget> = {}, message = makeMessage(), id = 'ntf_a', timeoutMs = 5000) =>
  notifier.send(target(more), { id, message }, { timeoutMs });
const header = (name: string, raw = server.mails.at(-1)?.raw ?? '') =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(raw.split('\r\n\r\n')[0] ?? '')?.[1];

describe('a mail', () => {
  it.each(['starttls', 'tls'] as const)('goes over %s to everybody who is named', async (security) => {
    await start({ ...TLS, implicitTls: security === 'tls', login: LOGIN });
    expect(await send({ security })).toMatchObject({ result: 'delivered', scrubbed: 0 });
    expect(server.mails).toMatchObject([
      {
        from: 'tidegate@example.org',
        to: ['oncall@example.org', 'second@example.org'],
        secure: true,
        user: LOGIN.user,
      },
    ]);
    expect(header('Subject')).toBe('Device offline: mac-mini (research-agent)');
    expect(header('Auto-Submitted')).toBe('auto-generated');
    expect(server.mails[0]?.raw).toContain('First broken layer: device.');
  });

  it('has the same Message-ID at each attempt, and one root for all of a thread', async () => {
    await start({ ...TLS, login: LOGIN });
    await send();
    await send();
    await send({}, makeMessage({ kind: 'resolve' }), 'ntf_b');
    const raws = server.mails.map(({ raw }) => raw);
    expect(raws.map((raw) => header('Message-ID', raw))).toEqual([
      '<ntf_a@example.org>',
      '<ntf_a@example.org>',
      '<ntf_b@example.org>',
    ]);
    for (const name of ['References', 'In-Reply-To']) {
      expect(new Set(raws.map((raw) => header(name, raw)))).toEqual(new Set(['<inc_4cfq0zt1v8m2@example.org>']));
    }
    expect(raws[0]?.replace(/boundary.*/g, '')).toBe(raws[1]?.replace(/boundary.*/g, ''));
  });

  it('lets no text become a header, whatever is in it', async () => {
    await start({ ...TLS, login: LOGIN });
    const title = 'Down\r\nBcc: evil@example.org\r\n\r\nX-Evil: 1 \u2028 é';
    expect(await send({}, makeMessage({ title, lines: ['.', '\r\n.\r\nMAIL FROM:<x@y>', 'end'] }))).toMatchObject({
      result: 'delivered',
    });
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.to).toEqual(['oncall@example.org', 'second@example.org']);
    const head = server.mails[0]?.raw.split('\r\n\r\n')[0] ?? '';
    expect(head).not.toMatch(/^(bcc|x-evil):/im);
  });

  it('is not sent in the clear when TLS is asked for, nor to a server with another name', async () => {
    await start({ login: LOGIN });
    expect(await send()).toMatchObject({ result: 'retry', reached: false });
    await server.close();
    await start({ ...TLS, login: LOGIN });
    expect(await send({ host: 'other.example' })).toMatchObject({ result: 'retry', reached: false, reason: 'tls' });
    expect(server.mails).toEqual([]);
  });

  it('counts as told, and says so, when the server takes it for some of its recipients', async () => {
    await start({ ...TLS, login: LOGIN, unknown: 'second@example.org' });
    expect(await send()).toMatchObject({ result: 'delivered', reason: 'partly_rejected' });
    expect(server.mails[0]?.to).toEqual(['oncall@example.org']);
    expect(await send({ to: ['second@example.org'] })).toMatchObject({ result: 'refused', status: 550 });
  });

  it('is tried again after a 4xx or a wrong password, and not after another 5xx', async () => {
    await start({ ...TLS, login: LOGIN });
    server.refuseNext(451);
    expect(await send()).toMatchObject({ result: 'retry', status: 451, reason: 'server_error' });
    server.refuseNext(554);
    expect(await send()).toMatchObject({ result: 'refused', status: 554, reason: 'rejected' });
    expect(await send({ password: 'another' })).toMatchObject({
      result: 'retry',
      reached: false,
      status: 535,
      reason: 'unauthorized',
    });
  });

  it('ends in time when the server says nothing, and may have arrived', async () => {
    await start({ ...TLS, login: LOGIN });
    server.hangNext();
    expect(await send({}, makeMessage(), 'ntf_a', 1000)).toMatchObject({ result: 'retry', reached: true });
    const { port } = server;
    await server.close();
    expect(await send({ port })).toMatchObject({ result: 'retry', reached: false, reason: 'refused' });
    await start({ ...TLS });
  });

  it(verifies('I3', 'I3.notify', 'holds neither its own password nor what looks like a key'), async () => {
    await start({ ...TLS, login: LOGIN });
    const key = `tdg_${'a2b3c4d5'.repeat(5)}`;
    const outcome = await send({}, makeMessage({ title: `Down ${LOGIN.password}`, lines: [key] }));
    expect(outcome).toMatchObject({ result: 'delivered', scrubbed: 2 });
    expect(server.mails[0]?.raw).not.toContain(LOGIN.password);
    expect(server.mails[0]?.raw.replace(/=\r\n/g, '')).not.toContain(key);
  });
});
