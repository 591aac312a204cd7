import type { ServerResponse } from 'node:http';

/** Answered with 200 by the edge itself to anything that looks like a browser. */
export const INTERSTITIAL_PAGE = page(
  'You are about to visit a tunnel',
  '<p>This address is served through a tunnel. Send the header <code>localtonet-skip-warning</code> to skip this page.</p><button>Continue</button>',
);

/** Answered with 502 when no client of the tunnel is connected to the edge. */
export const CLIENT_GONE_PAGE = page('502 Bad Gateway', '<p>The client of this tunnel is not connected.</p>');

/** Answered with 500 when the client is connected but nothing answers behind it; names the private address. */
export function stoppedAppPage(privateAddress: string): string {
  return page(
    '500 Internal Server Error',
    `<p>The tunnel could not reach ${privateAddress} on the client's machine.</p>`,
  );
}

/** Sends one of the edge's own pages; does nothing when the client already left or a page was begun. */
export function sendEdgePage(response: ServerResponse, status: number, html: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(html);
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

function page(title: string, content: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${content}</body></html>\n`;
}
