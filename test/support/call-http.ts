import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface HttpCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Sends the body without saying how long it is. */
  readonly chunked?: boolean;
  readonly agent?: Agent;
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Status line and headers as they came. */
  readonly head: string;
  readonly text: string;
  /** The body read as JSON. */
  json<T = Record<string, unknown>>(): T;
}

/** Told of every answer, so that a test can search them all. */
export type OnAnswer = (call: { method: string; url: string }, answer: HttpAnswer) => void;

/**
 * One request over a connection of its own (unless an agent is given), exactly as told: nothing is added, followed or decoded.
 * Rejects when no whole answer comes.
 */
export function callHttp(url: string, call: HttpCall = {}, onAnswer?: OnAnswer): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, chunked = false, agent, timeoutMs = 10_000 } = call;
  const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const options = { host: hostname, port, path: pathname + search, method, headers: { ...length, ...headers } };
    const request = httpRequest({ ...options, agent: agent ?? new Agent({ keepAlive: false }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('close', () => reject(new Error('the answer broke off')));
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const answer: HttpAnswer = {
          status: response.statusCode ?? 0,
          headers: response.headers,
          head: `${response.statusCode} ${response.statusMessage}\n${response.rawHeaders.join('\n')}`,
          text,
          json: <T>() => JSON.parse(text) as T,
        };
        onAnswer?.({ method, url }, answer);
        resolve(answer);
      });
    });
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on('error', reject);
    if (chunked && body !== undefined) request.write(body);
    request.end(chunked ? undefined : body);
  });
}
