import { zValidator } from '@hono/zod-validator';
import { acknowledgeRequestSchema, noteRequestSchema, resolveRequestSchema } from '@tidegate/client';
import type { EndingRefusal } from '@tidegate/core';
import type { OutOfReach, Override } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import type { Context, Hono } from 'hono';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import { problem } from '../answer/problem.ts';
import type { ProblemCode } from '../answer/problem-codes.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { malformed, readJsonBody } from '../body/read-json-body.ts';
import { readDuration, readWords } from '../body/read-words.ts';
import { actorOf, logHead } from '../hand/acting-key.ts';
import { limitDetail } from '../incident/limit-incident.ts';
import { presentDetail } from '../incident/present-incident.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery } from '../query/page-query.ts';
import { isPublicId } from '../query/public-id.ts';
import { announceEnding } from './announce-ending.ts';

export const LONGEST_REASON = 200;
export const LONGEST_NOTE = 500;

/** `POST /v1/incidents/{id}/acknowledge`, `…/notes` and `…/resolve`, each answered with the incident as it is then. */
export function addIncidentActionRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const mayWrite = requireScope(context.keys, 'incidents:write');
  const withoutQuery = zValidator('query', noQuery, onInvalidQuery);
  app.post('/v1/incidents/:id/acknowledge', mayWrite, withoutQuery, (c) => acknowledge(context, c));
  app.post('/v1/incidents/:id/notes', mayWrite, withoutQuery, (c) => note(context, c));
  app.post('/v1/incidents/:id/resolve', mayWrite, withoutQuery, (c) => resolve(context, c));
}

async function acknowledge(context: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const incident = incidentOf(c);
  if (incident === null) return notFound();
  const body = await readJsonBody(c.env.incoming, acknowledgeRequestSchema);
  if (body.kind === 'refused') return body.answer;
  const { outcome, head } = await context.store.acknowledgeIncident(orderOf(c, incident), auditSigner(context.keyring));
  logHead(context.log, head);
  switch (outcome.kind) {
    case 'acknowledged':
      return tellIncident(context, c, incident);
    case 'acknowledged_before':
      return conflict('acknowledged_before', 'Somebody acknowledged it before.');
    case 'resolved':
      return conflict('already_resolved', REFUSALS.already_resolved);
    default:
      return outOfReach(outcome);
  }
}

async function note(context: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const incident = incidentOf(c);
  if (incident === null) return notFound();
  const body = await readJsonBody(c.env.incoming, noteRequestSchema);
  if (body.kind === 'refused') return body.answer;
  const words = readWords(body.value.note, LONGEST_NOTE);
  if (words === null) return malformed([{ field: 'note', problem: 'malformed' }]);
  const order = { ...orderOf(c, incident), note: words };
  const { outcome, head } = await context.store.noteIncident(order, auditSigner(context.keyring));
  logHead(context.log, head);
  return outcome.kind === 'noted' ? tellIncident(context, c, incident) : outOfReach(outcome);
}

async function resolve(context: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const incident = incidentOf(c);
  if (incident === null) return notFound();
  const body = await readJsonBody(c.env.incoming, resolveRequestSchema);
  if (body.kind === 'refused') return body.answer;
  const override = body.value.override === undefined ? null : readOverride(body.value.override);
  if (override === 'malformed') return malformed([{ field: 'override', problem: 'malformed' }]);
  const order = { ...orderOf(c, incident), override };
  const ended = await context.store.resolveIncident(order, auditSigner(context.keyring));
  announceEnding(context, incident, ended);
  const { outcome } = ended;
  switch (outcome.kind) {
    case 'resolved':
      return tellIncident(context, c, incident);
    case 'refused':
      return conflict(outcome.reason, REFUSALS[outcome.reason]);
    default:
      return outOfReach(outcome);
  }
}

const REFUSALS: Record<EndingRefusal, string> = {
  already_resolved: 'It is resolved already.',
  still_disconnected: 'It is still disconnected; an override with a reason and a duration ends it all the same.',
  not_verified:
    'No verification has proved that it is over; an override with a reason and a duration ends it all the same.',
};

function readOverride({ reason, for: duration }: { reason: string; for: string }): Override | 'malformed' {
  const words = readWords(reason, LONGEST_REASON);
  const forMs = readDuration(duration);
  return words === null || forMs === null ? 'malformed' : { reason: words, forMs };
}

function incidentOf(c: Context<ApiEnv>): string | null {
  const id = c.req.param('id') ?? '';
  return isPublicId(id, 'inc') ? id : null;
}

function orderOf(c: Context<ApiEnv>, incident: string) {
  return { incident, ...actorOf(c), services: c.get('services') };
}

async function tellIncident({ store }: ApiContext, c: Context<ApiEnv>, id: string): Promise<Response> {
  const services = c.get('services');
  const detail = await store.readIncident(id, services);
  return detail === null ? notFound() : answer(200, presentDetail(limitDetail(detail, services)));
}

function outOfReach(outcome: OutOfReach): Response {
  if (outcome.kind === 'not_found') return notFound();
  const detail = 'The incident concerns services that the API key may not act for.';
  return problem({ status: 403, code: 'service_not_allowed', detail });
}

function conflict(code: ProblemCode<409>, detail: string): Response {
  return problem({ status: 409, code, detail });
}
