import { callbackStateSchema, serviceNameSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { callbackOf } from '../../review/give-order.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import { readCursor } from '../layout/read-cursor.ts';
import { readDid } from '../layout/read-did.ts';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { CallbackPage } from './callback-page.tsx';
import { CallbacksPage } from './callbacks-page.tsx';

const PAGE_SIZE = 50;

/** `GET /callbacks` and `GET /callbacks/{id}`. */
export function addCallbackPages(app: Hono<ApiEnv>, { store }: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.callbacks;
  const enter = signedIn(sessions, section);

  app.get('/callbacks', enter, async (c) => {
    const viewer = viewerOf(c);
    const state = callbackStateSchema.safeParse(c.req.query('state')).data ?? null;
    const service = serviceNameSchema.safeParse(c.req.query('service')).data ?? null;
    const cursor = readCursor(c);
    const page = await store.listCallbacks({ service, state, cursor, limit: PAGE_SIZE, services: viewer.services });
    const list = <CallbacksPage page={page} state={state} service={service} further={cursor !== null} />;
    return answerPage(c, { title: 'Callbacks', viewer, section }, list);
  });

  app.get('/callbacks/:id', enter, async (c) => {
    const viewer = viewerOf(c);
    const id = callbackOf(c);
    const review = id !== null && viewer.may('callbacks:review') ? await store.readReview(id, viewer.services) : null;
    const callback = review ?? (id === null ? null : await store.readCallback(id, viewer.services));
    if (callback === null) return answerError(c, 404, NOTHING_HERE);
    const page = { callback, review, viewer, at: new Date(), did: readDid(c) };
    return answerPage(c, { title: `Callback of ${callback.service}`, viewer, section }, <CallbackPage {...page} />);
  });
}
