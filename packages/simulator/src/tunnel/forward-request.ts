import { type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createLifetime, waitMs } from '../wait-ms.ts';
import { CLIENT_GONE_PAGE, sendEdgePage, stoppedAppPage } from './edge-pages.ts';

/** How one forwarded request ended; `caller_left` and `broken_off` (answer begun, not finished) send no page. */
export type ForwardOutcome = 'forwarded' | 'app_stopped' | 'client_gone' | 'caller_left' | 'broken_off';

export interface ForwardSettings {
  readonly app: { readonly port: number; readonly stoppedDelayMs: number; readonly timeoutMs: number };
  /** Fires when the tunnel is cut. */
  readonly clientGone: AbortSignal;
}

// Meaningful for one connection only (RFC 9110 §7.6.1), so an edge never passes them on.
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Carries one request to the app and its answer back; when that fails, answers with the edge's own page. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  settings: ForwardSettings,
): Promise<ForwardOutcome> {
  const ended = createLifetime();
  const end = () => ended.abort();
  response.once('close', end);
  settings.clientGone.addEventListener('abort', end, { once: true });
  try {
    return await exchange(request, response, settings, ended.signal);
  } finally {
    settings.clientGone.removeEventListener('abort', end);
  }
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { app, clientGone }: ForwardSettings,
  ended: AbortSignal,
): Promise<ForwardOutcome> {
  const result = await carry(request, response, app, ended);
  if (result === 'done') return 'forwarded';
  if (response.headersSent) return 'broken_off';
  // A refused connection is only believed after a long wait; a silent app has used that time already.
  if (result === 'refused') await waitMs(app.stoppedDelayMs, ended);
  if (response.destroyed) return 'caller_left';
  if (clientGone.aborted) {
    sendEdgePage(response, 502, CLIENT_GONE_PAGE);
    return 'client_gone';
  }
  sendEdgePage(response, 500, stoppedAppPage(`http://127.0.0.1:${app.port}`));
  return 'app_stopped';
}

type CarryResult = 'done' | 'refused' | 'silent';

/** `refused`: the app could not be reached or broke off; `silent`: it took the request and said nothing in time. */
function carry(
  request: IncomingMessage,
  response: ServerResponse,
  app: ForwardSettings['app'],
  ended: AbortSignal,
): Promise<CarryResult> {
  return new Promise((resolve) => {
    let failure: CarryResult = 'refused';
    const onward = openOnward(request, app.port);
    ended.addEventListener('abort', () => onward.destroy(), { once: true });
    onward.setTimeout(app.timeoutMs, () => {
      failure = 'silent';
      onward.destroy();
    });
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
      resolve(
        pipeline(answer, response).then(
          () => 'done' as const,
          () => failure,
        ),
      );
    });
    onward.on('error', () => resolve(failure));
    onward.once('close', () => resolve(failure));
    request.pipe(onward);
  });
}

function openOnward(request: IncomingMessage, port: number): ClientRequest {
  return httpRequest({
    host: '127.0.0.1',
    port,
    method: request.method,
    path: request.url,
    headers: { ...withoutHopByHop(request.headers), 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' },
    // A connection of its own for each request: a pooled one could be stale after the agent restarts.
    agent: false,
  });
}

function withoutHopByHop(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
