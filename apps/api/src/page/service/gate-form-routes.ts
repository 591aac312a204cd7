import { type Scope, serviceNameSchema } from '@tidegate/client';
import type { Audited, OrderedGate } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import type { Context, Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { mayTouch } from '../../auth/may-touch.ts';
import { actorOf } from '../../hand/acting-key.ts';
import { announceOrder } from '../../hand/announce-order.ts';
import { goTo } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import type { NoticeCode } from '../layout/notice.tsx';
import { readOrder } from '../layout/read-order.ts';
import { SECTIONS } from '../layout/sections.ts';
import { readNextPath } from '../session/next-path.ts';
import { readForm } from '../session/read-form.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { nameOrder } from './name-order.ts';

/** What became of a form, or an order that was carried out. */
type Given = NoticeCode | Audited<OrderedGate>;

interface GateForm {
  readonly scopes: readonly Scope[];
  readonly did: NoticeCode;
  give(c: Context<ApiEnv>, service: string, form: URLSearchParams): Promise<Given>;
}

/** `POST /services/{service}/hold`, `…/force-open`, `…/release`: what the API does, for a form. */
export function addGateForms(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  for (const [name, form] of Object.entries(listForms(context))) {
    // Whoever may order something about a gate may also do it from the page of an incident.
    app.post(`/services/:service/${name}`, signedIn(sessions, { ...SECTIONS.services, scopes: form.scopes }), (c) =>
      carryOut(context, c, form),
    );
  }
}

function listForms({ store, keyring }: ApiContext): Record<string, GateForm> {
  const sign = () => auditSigner(keyring);
  return {
    hold: {
      scopes: ['incidents:write', 'gate:override'],
      did: 'held',
      give: async (c, service, form) => {
        const order = readOrder(form);
        return order === null ? 'malformed' : store.holdGate({ service, ...actorOf(c), ...order }, sign());
      },
    },
    'force-open': {
      scopes: ['gate:override'],
      did: 'forced_open',
      give: async (c, service, form) => {
        const order = readOrder(form);
        if (order === null) return 'malformed';
        if (form.get('sure') !== 'yes') return 'not_sure';
        return store.forceOpenGate({ service, ...actorOf(c), ...order }, sign());
      },
    },
    release: {
      scopes: ['incidents:write', 'gate:override'],
      did: 'released',
      give: async (c, service, form) => {
        const standing = (await store.listGatesWithHand()).find((gate) => gate.service === service);
        // What is taken back is the order that was on the page, not one that somebody gave since.
        if ((form.get('order') ?? nameOrder(standing)) !== nameOrder(standing)) return 'other_order';
        return store.releaseGate({ service, ...actorOf(c), reason: null }, sign());
      },
    },
  };
}

async function carryOut(context: ApiContext, c: Context<ApiEnv>, gateForm: GateForm): Promise<Response> {
  const name = serviceNameSchema.safeParse(c.req.param('service'));
  if (!name.success || !mayTouch(viewerOf(c).services, name.data)) return answerError(c, 404, NOTHING_HERE);
  const form = await readForm(c.env.incoming);
  const own = `/services/${name.data}`;
  const wanted = form?.get('back') ?? undefined;
  const back = wanted === own ? own : readNextPath(wanted).replace(/\?.*$/, '');
  const given = form === null ? 'malformed' : await gateForm.give(c, name.data, form);
  if (typeof given === 'string') return goTo(c, `${back}?did=${given}`);
  announceOrder(context, name.data, given);
  switch (given.outcome.kind) {
    case 'unknown_service':
      return answerError(c, 404, NOTHING_HERE);
    case 'no_hand':
      return goTo(c, `${back}?did=no_hand`);
    case 'moved':
      return goTo(c, `${back}?did=${gateForm.did}`);
  }
}
