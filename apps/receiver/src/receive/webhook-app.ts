import type { HttpBindings } from '@hono/node-server';
import { AppError } from '@tidegate/core';
import { Hono } from 'hono';
import type { SourceDirectory } from '../source/source-directory.ts';
import type { SourceTally } from '../source/source-tally.ts';
import { describeDelivery } from './describe-delivery.ts';
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
    if (body.kind === 'too_large') return reject(problem(413, 'The body is larger than 16 KiB.'), 'too_large');
    if (body.kind === 'aborted') return reject(problem(400, 'The body did not arrive whole.'), 'aborted');
    const source = options.sources.find(context.req.param('secret'));
    if (source === null) return reject(problem(404), 'not_found');
    const { remoteAddress } = incoming.socket;
    if (options.mayPost?.(remoteAddress, forwardedFor(incoming)) === false) {
      options.tally.note(source.id, 'not_allowed');
      return reject(problem(404), 'not_allowed', source.name);
    }
    try {
      const waitMs = (await options.limit?.(source.id)) ?? 0;
      if (waitMs > 0) {
        options.tally.note(source.id, 'rate_limited');
        return reject(tooMany(waitMs), 'rate_limited', source.name);
      }
      if (!JSON_TYPE.test(incoming.headers['content-type'] ?? '')) {
        options.tally.note(source.id, 'media_type');
        return reject(problem(415, 'The content type must be application/json.'), 'media_type', source.name);
      }
      const result = await receiveDelivery(options.intake, source, body.bytes);
      noteResult(options.tally, source.id, result, incoming);
      return answer(result, reject, source.name);
    } catch (error) {
      options.tally.note(source.id, 'unavailable');
      if (!(error instanceof AppError)) throw error;
      return reject(notRecorded(), 'unavailable', source.name);
    }
  });
  app.notFound(() => reject(problem(404), 'not_found'));
  app.onError(() => reject(notRecorded(), 'unavailable'));
  return app;
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
  result: ReceiveResult,
  { headers }: HttpBindings['incoming'],
): void {
  if (result.kind !== 'recorded') tally.note(sourceId, result.kind);
  else tally.note(sourceId, result.repeat ? 'repeated' : 'recorded', () => describeDelivery(headers, result.sent));
}

/** Several such headers are one list, as Node joins them. */
function forwardedFor({ headers }: HttpBindings['incoming']): string | undefined {
  const value = headers['x-forwarded-for'];
  return Array.isArray(value) ? value.join() : value;
}

function answer(
  result: ReceiveResult,
  reject: (response: Response, reason: RejectReason, source: string) => Response,
  source: string,
): Response {
  switch (result.kind) {
    case 'recorded':
      return new Response(`{"observation":"${result.observation}","repeat":${result.repeat}}`, {
        status: 202,
        headers: ACCEPTED,
      });
    case 'malformed':
      return reject(problem(400, 'The body is not a Localtonet webhook.', result.errors), 'malformed', source);
    case 'refused':
      return reject(notRecorded(), 'refused', source);
  }
}
