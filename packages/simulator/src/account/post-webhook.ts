import { type Agent, request as httpRequest, type RequestOptions } from 'node:http';
import { SimulatorError } from '../simulator-error.ts';

/** What became of one POST: the answer, or a code such as `ECONNREFUSED`, `ECONNRESET`, `timeout`, `aborted`. */
export type PostOutcome =
  | { readonly outcome: 'answered'; readonly status: number; readonly body: string; readonly latencyMs: number }
  | { readonly outcome: 'failed'; readonly failure: string; readonly latencyMs: number };

export interface PostOptions {
  /** Default: Localtonet's own, `application/json; charset=utf-8`; null sends none. */
  readonly contentType?: string | null;
  /** Milliseconds without any byte from the receiver; default 10 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** A pool of connections; default: one connection for this request, so that no stale one is reused. */
  readonly agent?: Agent;
}

/**
 * Posts one webhook body as Localtonet does and never again. Text and bytes are sent untouched, anything else as
 * JSON. Network trouble is an outcome; throws `SimulatorError` `unsupported_url` for anything but an http URL.
 */
export function postWebhook(url: string, body: unknown, options: PostOptions = {}): Promise<PostOutcome> {
  return postBytes(webhookTarget(url), toBytes(body), options);
}

/** Where to connect, worked out once per URL. */
export function webhookTarget(url: string): RequestOptions {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol !== 'http:') {
    throw new SimulatorError('unsupported_url', 'The simulator posts webhooks to http URLs only.');
  }
  return { method: 'POST', host: parsed.hostname, port: parsed.port || 80, path: parsed.pathname + parsed.search };
}

/** The one place that writes a webhook request to a socket. */
export function postBytes(target: RequestOptions, bytes: Uint8Array, options: PostOptions = {}): Promise<PostOutcome> {
  const { contentType = 'application/json; charset=utf-8', timeoutMs = 10_000, signal, agent } = options;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const fail = (failure: string) => resolve({ outcome: 'failed', failure, latencyMs: performance.now() - startedAt });
    const request = httpRequest({
      ...target,
      agent: agent ?? false,
      headers: { 'content-length': bytes.length, ...(contentType === null ? {} : { 'content-type': contentType }) },
      ...(signal === undefined ? {} : { signal }),
    });
    request.setTimeout(timeoutMs, () => {
      fail('timeout');
      request.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(signal?.aborted ? 'aborted' : (error.code ?? 'unknown')),
    );
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => {
        const latencyMs = performance.now() - startedAt;
        resolve({ outcome: 'answered', status: response.statusCode ?? 0, body: text, latencyMs });
      });
      response.on('error', () => fail('ECONNRESET'));
      response.once('close', () => fail('ECONNRESET'));
    });
    request.end(bytes);
  });
}

function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
