import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { loopbackGuard, onEnd, startHttp, startTcp, unusedPort } from '../../test/loopback.ts';
import { createAddressGuard } from '../guard/address-guard.ts';
import { createStatusClient } from './status-client.ts';

function contract(url: string, headers: Record<string, string> = {}) {
  return { url, headers, complete: { status: 200, bodyIncludes: '"done"' }, notFound: { status: 404 } };
}

function makeClient(guard = loopbackGuard({})) {
  const client = createStatusClient({ guard });
  onEnd(client.close);
  return client;
}

describe('a status lookup', () => {
  it.each([
    [200, '{"state":"done"}', 'complete'],
    [200, '{"state":"pending"}', 'unknown'],
    [404, '', 'not_found'],
    [500, '"done"', 'unknown'],
  ])('reads %i %s as %s', async (status, body, result) => {
    const server = await startHttp((_request, response) => response.writeHead(status).end(body));
    const outcome = await makeClient().lookUp(contract(`${server.url}/of?key=1`, { Authorization: 'Bearer x' }), 2000);
    expect(outcome).toMatchObject({ result, status });
    expect(server.seen).toMatchObject([{ method: 'GET', url: '/of?key=1', body: '' }]);
    expect(server.seen[0]?.headers.authorization).toBe('Bearer x');
  });

  it(verifies('I7', 'proves nothing when it is refused, silent, redirected or cut short'), async () => {
    const silent = await startTcp((socket) => socket.resume());
    const short = await startTcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 99\r\n\r\nnothing'));
    });
    const trap = await startHttp((_request, response) => response.writeHead(404).end());
    const moved = await startHttp((_request, response) => response.writeHead(302, { location: trap.url }).end());
    const long = await startHttp((_request, response) => response.writeHead(404).end('x'.repeat(100_000)));
    const refused = `http://127.0.0.1:${await unusedPort()}/`;
    for (const url of [refused, silent.url, short.url, moved.url, long.url, 'nowhere', 'http://u:p@127.0.0.1/']) {
      expect([url, (await makeClient().lookUp(contract(url), 300)).result]).toEqual([url, 'unknown']);
    }
    expect(trap.seen).toEqual([]);
  });

  it('goes nowhere that callbacks may not go', async () => {
    const server = await startHttp((_request, response) => response.writeHead(404).end());
    const guard = createAddressGuard({ allowPrivate: [], denied: [] });
    const outcome = await makeClient(guard).lookUp(contract(server.url), 2000);
    expect(outcome).toMatchObject({ result: 'unknown', status: null });
    expect(server.seen).toEqual([]);
  });
});
