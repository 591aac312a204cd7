import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

const GATE = {
  service: 'bench',
  decision: 'held',
  state: 'held',
  reason: 'never_verified',
  generation: 1,
  since: '2026-11-30T01:02:03.123Z',
  validUntil: '2026-11-30T01:02:08.123Z',
  incident: null,
};

// The floor: the HTTP stack of our apps doing nothing else. It parses a body and sends it back, or tells a gate that never moves.
const app = new Hono();
app.post('/echo', async (context) => context.json(await context.req.json()));
app.get('/gate', (context) => context.json(GATE));

const server = createAdaptorServer({ fetch: app.fetch });
server.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
});
process.once('disconnect', () => process.exit(0));
