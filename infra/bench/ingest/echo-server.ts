import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

// The floor: the same HTTP stack as the receiver, which only parses the JSON and sends it back.
const app = new Hono();
app.post('/echo', async (context) => context.json(await context.req.json()));

const server = createAdaptorServer({ fetch: app.fetch });
server.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
});
process.once('disconnect', () => process.exit(0));
