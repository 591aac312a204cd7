import type { HttpBindings } from '@hono/node-server';
import { AppError } from '@tidegate/core';
import type { LiveSource } from '@tidegate/store';
import { Hono } from 'hono';
import type { SourceDirectory } from '../source/source-directory.ts';
import type { SourceTally } from '../source/source-tally.ts';
import { describeDelivery } from './describe-delivery.ts';
import { describeMisread } from './describe-misread.ts';
import type { JudgeAddress } from './judge-address.ts';
import { problem } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { readCappedBody } from './read-capped-body.ts';
import { type Intake, type ReceiveResult, receiveDelivery } from './receive-delivery.ts';

const BODY_CAP_BYTES = 16 * 1024;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const ACCEPTED = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export type RejectReason =
  | 'not_found'
  | 'not_allowed'
  | 'rate_limited'
  | 'too_large'
  | 'media_type'
  | 'malformed'
  | 'refused'
  | 'unavailable'
  | 'aborted';

export type WebhookApp = Hono<{ Bindings: HttpBindings }>;

export interface WebhookAppOptions {
  readonly intake: Intake;
  readonly sources: SourceDirectory;
  /** Who may post; everybody unless given. */
  readonly mayPost?: JudgeAddress;
  /** How often each source may post; null for as it likes. */
  readonly limit: RateLimit | null;
  /** Counts what becomes of the deliveries of each source. */
  readonly tally: Pick<SourceTally, 'note'>;
  /** Told of each answer that is not 202: a status and a fixed reason, nothing of the request. */
  readonly onReject: (status: number, reason: RejectReason, source: string | null) => void;
}

type Incoming = HttpBindings['incoming'];
type Refuse = (response: Response, reason: RejectReason, source?: string) => Response;

/** A delivery of a known source, from where it may post. */
interface Posted {
  readonly source: LiveSource;
  readonly incoming: Incoming;
  /** Null when it was too large: what is left of it is not read, and what was read is not kept. */
  readonly bytes: Buffer | null;
  readonly refuse: Refuse;
}

/** The public listener: one route, and the same 404 for everything else, so that a guess learns nothing. */
export function createWebhookApp(options: WebhookAppOptions): WebhookApp {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const reject = (response: Response, reason: RejectReason, source: string | null = null) => {
    options.onReject(response.status, reason, source);
    return response;
  };
  app.post('/hooks/localtonet/:secret', async (context) => {
    const { incoming } = context.env;
    const body = await readCappedBody(incoming, BODY_CAP_BYTES);
    if (body.kind === 'aborted') return reject(problem(400, 'The body did not arrive whole.'), 'aborted');
    const bytes = body.kind === 'body' ? body.bytes : null;
    const refuse: Refuse = (response, reason, source) => {
      // What is left of an oversized body is not read: the connection cannot be used again.
      if (bytes === null) response.headers.set('connection', 'close');
      return reject(response, reason, source);
    };
    const source = options.sources.find(context.req.param('secret'));
    const mayPost = options.mayPost?.(incoming.socket.remoteAddress, forwardedFor(incoming)) ?? true;
    if (source !== null && mayPost) return receive(options, { source, incoming, bytes, refuse });
    if (source !== null) options.tally.note(source.id, 'not_allowed');
    if (bytes === null) return refuse(tooLarge(), 'too_large', source?.name);
    return refuse(problem(404), source === null ? 'not_found' : 'not_allowed', source?.name);
  });
  app.notFound(() => reject(problem(404), 'not_found'));
  app.onError(() => reject(notRecorded(), 'unavailable'));
  return app;
}

/** A delivery that is not recorded is answered only after its source's gates are held, or due for a verification. */
async function receive(options: WebhookAppOptions, posted: Posted): Promise<Response> {
  const { source, incoming, bytes, refuse } = posted;
  const { tally, intake } = options;
  const misread = (outcome: 'malformed' | 'media_type' | 'too_large', problems: readonly string[]) =>
    tally.note(source.id, outcome, () => describeMisread(incoming.headers, problems, bytes));
  try {
    const waitMs = (await options.limit?.(source.id)) ?? 0;
    if (waitMs > 0) {
      tally.note(source.id, 'rate_limited');
      return refuse(tooMany(waitMs), 'rate_limited', source.name);
    }
    if (bytes === null) {
      await intake.quarantine.recheck(source);
      misread('too_large', ['body too_large']);
      return refuse(tooLarge(), 'too_large', source.name);
    }
    if (!JSON_TYPE.test(incoming.headers['content-type'] ?? '')) {
      await intake.quarantine.keep(source, bytes, { field: 'content-type', problem: 'not_allowed' });
      misread('media_type', ['content-type not_allowed']);
      return refuse(problem(415, 'The content type must be application/json.'), 'media_type', source.name);
    }
    const result = await receiveDelivery(intake, source, bytes);
    if (result.kind === 'malformed')
      misread(
        'malformed',
        result.errors.map(({ field, problem }) => `${field} ${problem}`),
      );
    else noteResult(tally, source.id, result, incoming);
    return answer(result, refuse, source.name);
  } catch (error) {
    tally.note(source.id, 'unavailable');
    if (!(error instanceof AppError)) throw error;
    return refuse(notRecorded(), 'unavailable', source.name);
  }
}

function tooLarge(): Response {
  return problem(413, 'The body is larger than 16 KiB.');
}

function notRecorded(): Response {
  return problem(503, 'The delivery could not be recorded; nothing was promised.');
}

function tooMany(waitMs: number): Response {
  const response = problem(
    429,
    'This source posts more often than it may; its gates are held until they are verified.',
  );
  response.headers.set('retry-after', String(Math.ceil(waitMs / 1000)));
  return response;
}

function noteResult(
  tally: Pick<SourceTally, 'note'>,
  sourceId: number,
  result: Exclude<ReceiveResult, { kind: 'malformed' }>,
  { headers }: Incoming,
): void {
  if (result.kind !== 'recorded') tally.note(sourceId, result.kind);
  else tally.note(sourceId, result.repeat ? 'repeated' : 'recorded', () => describeDelivery(headers, result.sent));
}

/** Several such headers are one list, as Node joins them. */
function forwardedFor({ headers }: Incoming): string | undefined {
  const value = headers['x-forwarded-for'];
  return Array.isArray(value) ? value.join() : value;
}

function answer(result: ReceiveResult, refuse: Refuse, source: string): Response {
  switch (result.kind) {
    case 'recorded':
      return new Response(`{"observation":"${result.observation}","repeat":${result.repeat}}`, {
        status: 202,
        headers: ACCEPTED,
      });
    case 'malformed':
      return refuse(problem(400, 'The body is not a Localtonet webhook.', result.errors), 'malformed', source);
    case 'refused':
      return refuse(notRecorded(), 'refused', source);
  }
}
