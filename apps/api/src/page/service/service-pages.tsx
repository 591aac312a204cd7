import { serviceNameSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { mayTouch } from '../../auth/may-touch.ts';
import { limitRow } from '../../incident/limit-incident.ts';
import { loadMutes } from '../incident/load-mutes.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import { readDid } from '../layout/read-did.ts';
import { readFrom } from '../layout/read-from.ts';
import { mayEnter, SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { type Viewer, viewerOf } from '../session/viewer.ts';
import { loadServices } from './load-services.ts';
import { ServicePage } from './service-page.tsx';
import { ServicesPage } from './services-page.tsx';

/** More would weigh too much for a phone. */
const PAGE_SIZE = 30;
const NEWEST_INCIDENTS = 10;

/** `GET /services` and `GET /services/{service}`. */
export function addServicePages(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.services;
  const enter = signedIn(sessions, section);

  app.get('/services', enter, async (c) => {
    const viewer = viewerOf(c);
    const from = readFrom(c);
    const services = await loadServices(context, viewer.services, { from, most: PAGE_SIZE });
    const list = <ServicesPage services={services} at={new Date()} from={from} most={PAGE_SIZE} />;
    return answerPage(c, { title: 'Services', viewer, section }, list);
  });

  app.get('/services/:service', enter, async (c) => {
    const viewer = viewerOf(c);
    const name = serviceNameSchema.safeParse(c.req.param('service'));
    const known = name.success && mayTouch(viewer.services, name.data) ? name.data : null;
    const found = known === null ? null : await loadServices(context, [known], { from: 0, most: 1 });
    const loaded = found?.items[0];
    if (loaded === undefined || known === null) return answerError(c, 404, NOTHING_HERE);
    const around = await loadAround(context, viewer, known);
    const page = <ServicePage loaded={loaded} {...around} viewer={viewer} at={new Date()} did={readDid(c)} />;
    return answerPage(c, { title: known, viewer, section }, page);
  });
}

async function loadAround(context: ApiContext, viewer: Viewer, service: string) {
  const { store } = context;
  const filter = { state: null, cursor: null, limit: NEWEST_INCIDENTS, services: [service] };
  const [page, callbacks] = await Promise.all([
    mayEnter(viewer, SECTIONS.incidents) ? store.listIncidents(filter) : null,
    mayEnter(viewer, SECTIONS.callbacks) ? store.countWaitingCallbacks([service]) : null,
  ]);
  const mutes = await loadMutes(context, page?.items ?? [], viewer.services);
  return { incidents: page?.items.map((row) => limitRow(row, viewer.services)) ?? null, mutes, callbacks };
}
