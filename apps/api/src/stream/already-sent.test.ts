import { createServer } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { expect, it } from 'vitest';

it('leaves a stream alone, whichever server was first in the process', async () => {
  // Puts the server's `Response` in place of Node's, before the module that makes the answer is loaded.
  getRequestListener(() => new Response());
  const { alreadySent } = await import('./already-sent.ts');
  const server = createServer(
    getRequestListener((_, env) => {
      const { outgoing } = env as HttpBindings;
      outgoing.writeHead(200);
      outgoing.write('first, ');
      setTimeout(() => outgoing.end('then last'), 20);
      return Promise.resolve(alreadySent());
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const response = await fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
  expect(await response.text()).toBe('first, then last');
  server.close();
});
