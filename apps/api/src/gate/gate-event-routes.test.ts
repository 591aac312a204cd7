import { gateSchema } from '@tidegate/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type OpenedStream, openStream } from '../../test/open-stream.ts';
import { plantServices, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let opened: OpenedStream[] = [];
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'payroll']);
}, 60_000);
afterEach(async () => {
  for (const stream of opened) stream.leave();
  await Promise.all(opened.map(({ ended }) => ended));
  opened = [];
});

const PATH = '/v1/gates/agent/events';
async function open(call = test.call) {
  const stream = await openStream(call, PATH);
  opened.push(stream);
  return stream;
}
const gatesOf = (stream: OpenedStream) =>
  stream.messages.filter(({ event }) => event === 'message').map(({ data }) => gateSchema.parse(data));
const decisions = (stream: OpenedStream) => gatesOf(stream).map(({ decision }) => decision);

describe('GET /v1/gates/{service}/events', () => {
  it(verifies('I2', 'tells the gate as it is now, and each change of it'), async () => {
    await setGate(test.sql, 'agent', 'held');
    const stream = await open();
    await expect.poll(() => decisions(stream)).toEqual(['held']);
    await setGate(test.sql, 'agent', 'open');
    await expect.poll(() => decisions(stream).at(-1), { timeout: 3000 }).toBe('allowed');
    await setGate(test.sql, 'agent', 'held');
    await expect.poll(() => decisions(stream).at(-1), { timeout: 3000 }).toBe('held');
    const generations = gatesOf(stream).map(({ generation }) => generation);
    expect(generations).toEqual(generations.toSorted((a, b) => a - b));
  });

  it('renews the lease of an open gate before it is over', async () => {
    await setGate(test.sql, 'agent', 'open');
    const stream = await open();
    await expect.poll(() => gatesOf(stream).length, { timeout: 6000 }).toBeGreaterThan(2);
    const leases = gatesOf(stream).map(({ validUntil }) => Date.parse(validUntil));
    for (const [index, until] of leases.entries()) if (index > 0) expect(until).toBeGreaterThan(leases[index - 1] ?? 0);
    await setGate(test.sql, 'agent', 'held');
  });

  it('is 404 for what does not exist or is not for the key, and ends with the process', async () => {
    const limited = await test.makeKey(['gate:read'], { services: ['payroll'] });
    expect((await test.call(PATH, { key: limited })).status).toBe(404);
    expect((await test.call('/v1/gates/nobody/events')).status).toBe(404);
    const other = await test.makeKey(['incidents:read']);
    expect((await test.call(PATH, { key: other })).status).toBe(403);
    const { api, call } = await test.another();
    const stream = await open(call);
    await expect.poll(() => stream.messages.length).toBe(1);
    await api.close();
    await stream.ended;
    expect(stream.messages.at(-1)).toMatchObject({ event: 'closed', data: { reason: 'stopping' } });
  });
});
