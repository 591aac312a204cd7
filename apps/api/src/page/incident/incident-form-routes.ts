import { auditSigner, newId } from '@tidegate/vault';
import type { Context, Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { readWords } from '../../body/read-words.ts';
import { actorOf, logHead } from '../../hand/acting-key.ts';
import { announceEnding } from '../../incident-action/announce-ending.ts';
import { LONGEST_NOTE } from '../../incident-action/incident-action-routes.ts';
import { isPublicId } from '../../query/public-id.ts';
import { goTo } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import type { NoticeCode } from '../layout/notice.tsx';
import { readOrder } from '../layout/read-order.ts';
import { SECTIONS } from '../layout/sections.ts';
import { readForm } from '../session/read-form.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { loadIncident } from './load-incident.ts';
import { listSilenceChoices } from './silence-choices.ts';

type Outcome = NoticeCode | 'not_found';
type Order = (c: Context<ApiEnv>, id: string, form: URLSearchParams) => Promise<Outcome>;

/** `POST /incidents/{id}/acknowledge`, `…/note`, `…/silence`, `…/resolve`: what the API does, for a form. */
export function addIncidentForms(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  const enter = signedIn(sessions, SECTIONS.incidents);
  const orders: Record<string, Order> = {
    acknowledge: (c, id) => acknowledge(context, c, id),
    note: (c, id, form) => note(context, c, id, form),
    silence: (c, id, form) => silence(context, c, id, form),
    resolve: (c, id, form) => resolve(context, c, id, form),
  };
  for (const [name, order] of Object.entries(orders)) {
    app.post(`/incidents/:id/${name}`, enter, async (c) => {
      const id = c.req.param('id');
      if (!isPublicId(id, 'inc')) return answerError(c, 404, NOTHING_HERE);
      if (!viewerOf(c).may('incidents:write')) return goTo(c, `/incidents/${id}?did=not_allowed`);
      const form = await readForm(c.env.incoming);
      const did = form === null ? 'malformed' : await order(c, id, form);
      return did === 'not_found' ? answerError(c, 404, NOTHING_HERE) : goTo(c, `/incidents/${id}?did=${did}`);
    });
  }
}

function orderOf(c: Context<ApiEnv>, incident: string) {
  return { incident, ...actorOf(c), services: c.get('services') };
}

async function acknowledge({ store, keyring, log }: ApiContext, c: Context<ApiEnv>, id: string): Promise<Outcome> {
  const order = orderOf(c, id);
  const { outcome, head } = await store.acknowledgeIncident(order, auditSigner(keyring));
  logHead(log, head);
  // A button that is pressed twice is not somebody else.
  if (outcome.kind === 'acknowledged_before' && outcome.by === order.actor) return 'acknowledged';
  return outcome.kind === 'resolved' ? 'already_resolved' : outcome.kind;
}

async function note(context: ApiContext, c: Context<ApiEnv>, id: string, form: URLSearchParams): Promise<Outcome> {
  const words = readWords(form.get('note') ?? '', LONGEST_NOTE);
  if (words === null) return 'no_note';
  const { outcome, head } = await context.store.noteIncident(
    { ...orderOf(c, id), note: words },
    auditSigner(context.keyring),
  );
  logHead(context.log, head);
  return outcome.kind;
}

async function silence(context: ApiContext, c: Context<ApiEnv>, id: string, form: URLSearchParams): Promise<Outcome> {
  const { store, keyring, log } = context;
  const viewer = viewerOf(c);
  const loaded = await loadIncident(context, viewer, id);
  if (loaded === null) return 'not_found';
  const order = readOrder(form);
  // Only what the form offers to this key can be chosen.
  const choice = listSilenceChoices(loaded, viewer).find(({ value }) => value === form.get('scope'));
  if (order === null || choice === undefined) return 'malformed';
  const { scope, target } = choice;
  const made = { id: newId('sil'), scope, target, ...actorOf(c), ...order };
  const { outcome, head } = await store.createSilence(made, auditSigner(keyring));
  logHead(log, head);
  return outcome.kind === 'created' ? 'silenced' : 'unknown_target';
}

async function resolve(context: ApiContext, c: Context<ApiEnv>, id: string, form: URLSearchParams): Promise<Outcome> {
  const byHand = form.get('override') === 'yes';
  const override = byHand ? readOrder(form) : null;
  if (byHand && override === null) return 'malformed';
  const order = { ...orderOf(c, id), override };
  const ended = await context.store.resolveIncident(order, auditSigner(context.keyring));
  announceEnding(context, id, ended);
  const { outcome } = ended;
  switch (outcome.kind) {
    case 'resolved':
      return outcome.by === 'evidence' ? 'resolved' : 'overridden';
    case 'refused':
      return outcome.reason;
    default:
      return outcome.kind;
  }
}
