import type { Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { loopbackGuard, onEnd, startHttp, startTcp, unusedPort } from '../../test/loopback.ts';
import type { AddressGuardOptions } from '../guard/address-guard.ts';
import { createCallbackSender, type SendRequest } from './callback-sender.ts';

const SECRET = `whsec_${Buffer.from('an invented secret of tests').toString('base64')}`;

function makeSender(options: Partial<AddressGuardOptions> & { now?: () => number } = {}) {
  const { now, ...guardOptions } = options;
  const sender = createCallbackSender({ guard: loopbackGuard(guardOptions), ...(now === undefined ? {} : { now }) });
  onEnd(sender.close);
  return sender;
}

function callback(url: string, overrides: Partial<SendRequest> = {}): SendRequest {
  return {
    url,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"done":true}',
    idempotencyKey: 'order-17',
    webhookId: 'cb_1',
    signingSecrets: [SECRET],
    timeoutMs: 5000,
    leaseDeadline: () => false,
    ...overrides,
  };
}

describe('the request', () => {
  it.each(['{"done":true}', '', 'größe ✓ 😀', 'a\r\nb', '{"n": 1.0 }'])(
    'is signed over exactly the bytes sent: %j',
    async (body) => {
      const server = await startHttp((_request, response) => response.end());
      const outcome = await makeSender().send(callback(`${server.url}/in?key=1`, { body }));
      expect(outcome).toMatchObject({ phase: 'answered', reason: 'answered', status: 200 });
      const [seen] = server.seen;
      expect(seen).toMatchObject({ method: 'POST', url: '/in?key=1', body });
      expect(seen?.headers['idempotency-key']).toBe('order-17');
      expect(seen?.headers['webhook-id']).toBe('cb_1');
      expect(seen?.headers['content-type']).toBe('application/json');
      const headers = seen?.headers as Record<string, string>;
      const verifier = new Webhook(SECRET);
      expect(() => verifier.verify(seen?.body ?? '', headers, { jsonParse: false })).not.toThrow();
      expect(() => verifier.verify(`${seen?.body} `, headers, { jsonParse: false })).toThrow('No matching signature');
    },
  );

  it('is signed with each live secret, newest first, and verified by whoever knows one of them', async () => {
    const server = await startHttp((_request, response) => response.end());
    const older = `whsec_${Buffer.from('an older invented secret').toString('base64')}`;
    await makeSender().send(callback(server.url, { signingSecrets: [SECRET, older] }));
    const [seen] = server.seen;
    const headers = seen?.headers as Record<string, string>;
    const body = seen?.body ?? '';
    for (const secret of [SECRET, older]) expect(new Webhook(secret).verify(body, headers)).toEqual({ done: true });
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    const signatures = [SECRET, older].map((secret) => new Webhook(secret).sign('cb_1', sentAt, body));
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
    const other = new Webhook(Buffer.from('somebody else').toString('base64'));
    expect(() => other.verify(body, headers)).toThrow('No matching signature');
  });

  it('takes a Buffer as it takes text, and its timestamp from the given clock', async () => {
    const server = await startHttp((_request, response) => response.end());
    const sender = makeSender({ now: () => 1_790_000_000_999 });
    await sender.send(callback(server.url, { body: Buffer.from('{"x":"ä"}') }));
    expect(server.seen[0]?.body).toBe('{"x":"ä"}');
    expect(server.seen[0]?.headers['webhook-timestamp']).toBe('1790000000');
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('goes out as %s, without a body when there is none', async (method) => {
    const server = await startHttp((_request, response) => response.writeHead(204).end());
    expect(await makeSender().send(callback(server.url, { method, body: null }))).toMatchObject({ status: 204 });
    expect(server.seen[0]).toMatchObject({ method, body: '' });
  });

  it.each<[string, Partial<SendRequest>]>([
    ['a reserved header', { headers: { Host: 'evil.example' } }],
    ['a framing header', { headers: { 'transfer-encoding': 'chunked' } }],
    ['a forged signature', { headers: { 'Webhook-Signature': 'v1,x' } }],
    ['a second idempotency key', { headers: { 'idempotency-KEY': 'other' } }],
    ['a split header', { headers: { 'x-a': 'b\nc' } }],
    ['a split key', { idempotencyKey: 'a\r\nb: c' }],
    ['CONNECT', { method: 'CONNECT' }],
    ['a method with a space', { method: 'POST /' }],
    ['bytes that are no text', { body: Buffer.from([0xff, 0xfe]) }],
    ['half a character', { body: '\ud83d' }],
    ['an unreadable secret', { signingSecrets: [SECRET, 'whsec_%%%'] }],
    ['an empty secret', { signingSecrets: [''] }],
    ['no secret', { signingSecrets: [] }],
    ['no URL', { url: 'nowhere' }],
  ])('is not put with %s', async (_name, overrides) => {
    const server = await startHttp((_request, response) => response.end());
    const outcome = await makeSender().send(callback(server.url, overrides));
    expect(outcome).toMatchObject({ phase: 'not_sent', reason: 'invalid_request' });
    expect(server.seen).toEqual([]);
  });
});

describe(verifies('I7', 'not_sent is said only when no byte was written'), () => {
  it('refused', async () => {
    const url = `http://127.0.0.1:${await unusedPort()}/`;
    expect(await makeSender().send(callback(url))).toMatchObject({ phase: 'not_sent', reason: 'refused' });
  });

  it('name without address', async () => {
    const sender = makeSender({ lookup: async () => [] });
    expect(await sender.send(callback('http://gone.example/'))).toMatchObject({ phase: 'not_sent', reason: 'dns' });
  });

  it('denied address', async () => {
    const outcome = await makeSender().send(callback('http://169.254.169.254/latest'));
    expect(outcome).toMatchObject({ phase: 'not_sent', reason: 'address_denied' });
  });

  it('TLS handshake that fails', async () => {
    const received: Buffer[] = [];
    const server = await startTcp((socket) => {
      socket.once('data', (bytes) => {
        received.push(bytes);
        socket.end('not tls');
      });
    });
    const outcome = await makeSender().send(callback(`https://127.0.0.1:${server.port}/`));
    expect(outcome).toMatchObject({ phase: 'not_sent', reason: 'tls' });
    expect(Buffer.concat(received).toString('latin1')).not.toContain('POST');
  });

  it('lease that ran out while connecting: the connection opens and stays empty', async () => {
    let bytes = 0;
    let ended = 0;
    const server = await startTcp((socket) => {
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      socket.on('close', () => {
        ended += 1;
      });
    });
    const outcome = await makeSender().send(callback(server.url, { leaseDeadline: () => true }));
    expect(outcome).toMatchObject({ phase: 'not_sent', reason: 'lease_expired' });
    await vi.waitFor(() => expect(ended).toBe(1));
    expect(bytes).toBe(0);
  });

  it('lease that cannot be read', async () => {
    const server = await startHttp((_request, response) => response.end());
    const leaseDeadline = () => {
      throw new Error('clock gone');
    };
    expect(await makeSender().send(callback(server.url, { leaseDeadline }))).toMatchObject({ phase: 'not_sent' });
    expect(server.seen).toEqual([]);
  });

  it.each(['gate_held', 'deadline_passed', 'lease_expired'] as const)(
    'what is kept back as %s: the connection opens and stays empty',
    async (withheld) => {
      let bytes = 0;
      let ended = 0;
      const server = await startTcp((socket) => {
        socket.on('data', (chunk) => {
          bytes += chunk.length;
        });
        socket.on('close', () => {
          ended += 1;
        });
      });
      const outcome = await makeSender().send(callback(server.url, { admit: async () => withheld }));
      expect(outcome).toMatchObject({ phase: 'not_sent', reason: withheld });
      await vi.waitFor(() => expect(ended).toBe(1));
      expect(bytes).toBe(0);
    },
  );

  it('what nobody can say whether it may go', async () => {
    const server = await startHttp((_request, response) => response.end());
    const admit = () => Promise.reject(new Error('the database is away'));
    const outcome = await makeSender().send(callback(server.url, { admit }));
    expect(outcome).toMatchObject({ phase: 'not_sent', reason: 'lease_expired' });
    const never = { admit: () => new Promise<null>(() => {}), timeoutMs: 80 };
    expect(await makeSender().send(callback(server.url, never))).toMatchObject({
      phase: 'not_sent',
      reason: 'timeout',
    });
    expect(server.seen).toEqual([]);
  });

  it('what is asked for is asked once the connection stands, and before the lease', async () => {
    const order: string[] = [];
    const server = await startTcp((socket) => {
      order.push('connected');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    });
    const note = (step: string) => void order.push(step);
    const admit = async () => {
      await vi.waitFor(() => expect(order).toContain('connected'));
      note('admitted');
      return null;
    };
    const leaseDeadline = () => {
      note('lease');
      return false;
    };
    expect(await makeSender().send(callback(server.url, { admit, leaseDeadline }))).toMatchObject({
      phase: 'answered',
    });
    expect(order).toEqual(['connected', 'admitted', 'lease']);
  });

  it('a lease that holds is asked once, after the connection is open', async () => {
    const order: string[] = [];
    const server = await startTcp((socket) => {
      order.push('connected');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    });
    const leaseDeadline = () => {
      order.push('asked');
      return false;
    };
    expect(await makeSender().send(callback(server.url, { leaseDeadline }))).toMatchObject({ phase: 'answered' });
    expect(order.filter((step) => step === 'asked')).toHaveLength(1);
  });
});

describe(verifies('I7', 'maybe_received is said whenever a byte may have arrived and no answer came'), () => {
  it('commit, then drop', async () => {
    const committed: string[] = [];
    const server = await startHttp((request, response) => {
      committed.push(request.body);
      response.socket?.destroy();
    });
    const outcome = await makeSender().send(callback(server.url));
    expect(outcome).toMatchObject({ phase: 'maybe_received', reason: 'reset' });
    expect(committed).toEqual(['{"done":true}']);
  });

  it('commit, then reset', async () => {
    const server = await startHttp((_request, response) => response.socket?.resetAndDestroy());
    expect(await makeSender().send(callback(server.url))).toMatchObject({ phase: 'maybe_received', reason: 'reset' });
  });

  it('reset before anything is read', async () => {
    const accepted: Socket[] = [];
    const server = await startTcp((socket) => accepted.push(socket.pause()));
    const leaseDeadline = () => {
      // The first bytes are written in this tick; the peer drops them unread in a later one.
      void vi.waitFor(() => accepted[0]?.resetAndDestroy() ?? expect.fail('not accepted yet'), { interval: 1 });
      return false;
    };
    const outcome = await makeSender().send(callback(server.url, { leaseDeadline }));
    expect(outcome).toMatchObject({ phase: 'maybe_received', reason: 'reset' });
  });

  it('reset in the middle of a long body', async () => {
    const server = await startTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const outcome = await makeSender().send(callback(server.url, { body: 'x'.repeat(1_000_000) }));
    expect(outcome).toMatchObject({ phase: 'maybe_received', reason: 'reset' });
  });

  it('silence', async () => {
    const server = await startTcp((socket) => socket.resume());
    const outcome = await makeSender().send(callback(server.url, { timeoutMs: 80 }));
    expect(outcome).toMatchObject({ phase: 'maybe_received', reason: 'timeout' });
  });

  it('a destination that stops reading', async () => {
    const server = await startTcp((socket) => socket.pause());
    const outcome = await makeSender().send(callback(server.url, { timeoutMs: 150, body: 'x'.repeat(1_000_000) }));
    expect(outcome).toMatchObject({ phase: 'maybe_received', reason: 'timeout' });
  });

  it('an answer that is not HTTP', async () => {
    const server = await startTcp((socket) => socket.once('data', () => socket.end('thanks!\r\n\r\n')));
    expect(await makeSender().send(callback(server.url))).toMatchObject({
      phase: 'maybe_received',
      reason: 'malformed',
    });
  });

  it('a stop by us', async () => {
    const controller = new AbortController();
    const server = await startTcp((socket) => socket.once('data', () => controller.abort()));
    const outcome = await makeSender().send(callback(server.url, { signal: controller.signal }));
    expect(outcome).toMatchObject({ phase: 'maybe_received', reason: 'aborted' });
  });
});

describe('answered', () => {
  it.each([200, 201, 204, 301, 308, 400, 404, 409, 422, 500, 503])('with %i', async (status) => {
    const trap = await startHttp((_request, response) => response.end());
    const server = await startHttp((_request, response) => response.writeHead(status, { location: trap.url }).end());
    const outcome = await makeSender().send(callback(server.url));
    expect(outcome).toMatchObject({ phase: 'answered', status });
    expect(outcome).not.toHaveProperty('retryAfterMs');
    expect(trap.seen).toEqual([]);
  });

  it.each([
    ['3', 3000],
    ['Thu, 05 Nov 2026 12:01:00 GMT', 60_000],
    ['whenever', undefined],
  ])('with 429 and Retry-After %s', async (value, retryAfterMs) => {
    const date = 'Thu, 05 Nov 2026 12:00:00 GMT';
    const server = await startHttp((_request, response) =>
      response.writeHead(429, { 'retry-after': value, date }).end(),
    );
    const outcome = await makeSender().send(callback(server.url));
    expect(outcome.phase === 'answered' ? outcome.retryAfterMs : 'silent').toBe(retryAfterMs);
  });

  it('even when the body of the answer drips, breaks or never ends', async () => {
    const drip = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const broken = await startTcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n.'));
    });
    const endless = await startHttp((_request, response) => {
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood);
      flood();
    });
    for (const { url } of [drip, broken, endless]) {
      const outcome = await makeSender().send(callback(url, { timeoutMs: 300 }));
      expect(outcome).toMatchObject({ phase: 'answered', status: 200 });
      expect(outcome.latencyMs).toBeLessThan(2000);
    }
  });

  it('before the whole body was taken', async () => {
    const server = await startTcp((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n'));
    });
    const outcome = await makeSender().send(callback(server.url, { body: 'x'.repeat(1_000_000) }));
    expect(outcome).toMatchObject({ phase: 'answered', status: 413 });
  });
});

it(verifies('I3', 'no outcome holds a part of the URL, a header, the body, a key or the secret'), async () => {
  const canary = 'zqcanary7310';
  const secret = `whsec_${Buffer.from(canary).toString('base64')}`;
  const echo = await startHttp((request, response) => {
    response.writeHead(500, { 'x-echo': canary, 'retry-after': canary }).end(JSON.stringify(request));
  });
  const mirror = await startTcp((socket) => socket.once('data', (bytes) => socket.end(bytes)));
  const shut = await unusedPort();
  const urls = [echo.url, mirror.url, `http://127.0.0.1:${shut}`, 'http://10.0.0.1', `http://${canary}:x@127.0.0.1`];
  for (const url of urls) {
    for (const headers of [{ 'x-secret': canary }, { 'x-secret': `${canary}\n` }]) {
      const request = callback(`${url}/${canary}?k=${canary}`, {
        headers,
        body: canary,
        idempotencyKey: canary,
        signingSecrets: [secret],
      });
      const printed = JSON.stringify(await makeSender().send(request));
      for (const hidden of [canary, secret.slice(6)]) expect(printed).not.toContain(hidden);
    }
  }
});
