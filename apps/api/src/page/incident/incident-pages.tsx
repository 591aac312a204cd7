import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { limitRow } from '../../incident/limit-incident.ts';
import { isPublicId } from '../../query/public-id.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import { readCursor } from '../layout/read-cursor.ts';
import { readDid } from '../layout/read-did.ts';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { KIND_LABELS } from '../words/labels.ts';
import { IncidentPage } from './incident-page.tsx';
import { IncidentListPage, type ListedState } from './list-page.tsx';
import { loadIncident } from './load-incident.ts';
import { loadMutes } from './load-mutes.ts';
import { showState } from './show-state.ts';

const PAGE_SIZE = 30;
const STATES: readonly ListedState[] = ['open', 'acknowledged', 'resolved', 'all'];

/** `GET /incidents` and `GET /incidents/{id}`. */
export function addIncidentPages(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.incidents;
  const enter = signedIn(sessions, section);

  app.get('/incidents', enter, async (c) => {
    const viewer = viewerOf(c);
    const asked = STATES.find((state) => state === c.req.query('state')) ?? 'all';
    const cursor = readCursor(c);
    const filter = { state: asked === 'all' ? null : asked, cursor, limit: PAGE_SIZE, services: viewer.services };
    const page = await context.store.listIncidents(filter);
    const mutes = await loadMutes(context, page.items, viewer.services);
    const limited = { ...page, items: page.items.map((row) => limitRow(row, viewer.services)) };
    const list = (
      <IncidentListPage state={asked} page={limited} mutes={mutes} at={new Date()} further={cursor !== null} />
    );
    return answerPage(c, { title: 'Incidents', viewer, section }, list);
  });

  app.get('/incidents/:id', enter, async (c) => {
    const id = c.req.param('id');
    const viewer = viewerOf(c);
    const loaded = isPublicId(id, 'inc') ? await loadIncident(context, viewer, id) : null;
    if (loaded === null) return answerError(c, 404, NOTHING_HERE);
    const { kind, groupName, groupAlias } = loaded.incident;
    const title = `${showState(loaded.incident).label}: ${KIND_LABELS[kind]}, ${groupName ?? groupAlias}`;
    const did = readDid(c);
    return answerPage(c, { title, viewer, section }, <IncidentPage loaded={loaded} viewer={viewer} did={did} />);
  });
}
