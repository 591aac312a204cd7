import { zValidator } from '@hono/zod-validator';
import { type Silence, type SilenceRequest, serviceNameSchema, silenceRequestSchema } from '@tidegate/client';
import type { SilenceRow } from '@tidegate/store';
import { auditSigner, newId } from '@tidegate/vault';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import { problem } from '../answer/problem.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { mayTouch } from '../auth/may-touch.ts';
import { requireScope } from '../auth/require-scope.ts';
import { malformed, readJsonBody } from '../body/read-json-body.ts';
import { readDuration, readWords } from '../body/read-words.ts';
import { actorOf, logHead } from '../hand/acting-key.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery, pageQuery } from '../query/page-query.ts';

const LONGEST_REASON = 200;
const ALIAS = /^(?:dev|tun)_[a-z0-9]{1,64}$/;
const ID = /^sil_[a-z0-9]{1,64}$/;

export const silencesQuery = z.strictObject({ ...pageQuery, state: z.enum(['live', 'all']).default('live') });

/** `GET /v1/silences`, `POST /v1/silences` and `DELETE /v1/silences/{id}`. */
export function addSilenceRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const { store, keys, keyring, log } = context;
  const mayRead = requireScope(keys, 'incidents:read', 'incidents:write');
  const mayWrite = requireScope(keys, 'incidents:write');
  const withoutQuery = zValidator('query', noQuery, onInvalidQuery);

  app.get('/v1/silences', mayRead, zValidator('query', silencesQuery, onInvalidQuery), async (c) => {
    const { state, cursor, limit } = c.req.valid('query');
    const page = await store.listSilences({ live: state === 'live', services: c.get('services'), cursor, limit });
    return answer(200, { items: page.items.map(presentSilence), nextCursor: page.nextCursor });
  });

  app.post('/v1/silences', mayWrite, withoutQuery, (c) => postSilence(context, c));

  app.delete('/v1/silences/:id', mayWrite, withoutQuery, async (c) => {
    const id = c.req.param('id');
    if (!ID.test(id)) return notFound();
    const order = { id, ...actorOf(c), services: c.get('services') };
    const { outcome, head } = await store.endSilence(order, auditSigner(keyring));
    logHead(log, head);
    return outcome.kind === 'not_found' ? notFound() : answer(200, presentSilence(outcome.silence));
  });
}

async function postSilence({ store, keyring, log }: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const body = await readJsonBody(c.env.incoming, silenceRequestSchema);
  if (body.kind === 'refused') return body.answer;
  const { scope, target = null, reason, for: duration } = body.value;
  if (!isTarget(scope, target))
    return malformed([{ field: 'target', problem: target === null ? 'missing' : 'malformed' }]);
  const words = readWords(reason, LONGEST_REASON);
  if (words === null) return malformed([{ field: 'reason', problem: 'malformed' }]);
  const forMs = readDuration(duration);
  if (forMs === null) return malformed([{ field: 'for', problem: 'out_of_range' }]);
  if (!maySilence(c.get('services'), scope, target)) return refuseScope();
  const silence = { id: newId('sil'), scope, target, ...actorOf(c), reason: words, forMs };
  const { outcome, head } = await store.createSilence(silence, auditSigner(keyring));
  logHead(log, head);
  if (outcome.kind === 'created') {
    return answer(201, presentSilence(outcome.silence), { location: `/v1/silences/${outcome.silence.id}` });
  }
  const errors = [{ field: 'target', problem: 'unknown' }];
  const detail = 'There is nothing of this name, so the silence would mute nothing.';
  return problem({ status: 422, code: 'unknown_target', detail, errors });
}

function isTarget(scope: SilenceRequest['scope'], target: string | null): boolean {
  if (scope === 'all') return target === null;
  return target !== null && (scope === 'service' ? serviceNameSchema.safeParse(target).success : ALIAS.test(target));
}

/** A key that is limited to some services may mute pages about those, and no others. */
function maySilence(
  services: readonly string[] | null,
  scope: SilenceRequest['scope'],
  target: string | null,
): boolean {
  return services === null || (scope === 'service' && target !== null && mayTouch(services, target));
}

function refuseScope(): Response {
  const detail = 'The API key is limited to some services and may silence only those.';
  return problem({
    status: 403,
    code: 'service_not_allowed',
    detail,
    errors: [{ field: 'target', problem: 'not_allowed' }],
  });
}

function presentSilence(row: SilenceRow): Silence {
  const { id, scope, target, actor, reason, createdAt, expiresAt, endedAt, live } = row;
  return {
    id,
    scope,
    target,
    actor,
    reason,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    live,
  };
}
