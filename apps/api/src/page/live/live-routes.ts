import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { alreadySent } from '../../stream/already-sent.ts';
import { openEventWriter, STREAM_HEADERS } from '../../stream/event-writer.ts';
import { answerNothing } from '../layout/answer-page.tsx';
import { readSessionCookie } from '../session/session-cookie.ts';
import type { Sessions } from '../session/sessions.ts';
import { enter } from '../session/signed-in.ts';
import { followChanges } from './follow-changes.ts';

const MOST_STREAMS = 500;
const RETRY_MS = 3000;

/** `GET /events`: tells the script of a page, by server-sent events, that it is time to read the page again. It says no more. */
export function addLiveRoutes(app: Hono<ApiEnv>, { changes }: ApiContext, sessions: Sessions): void {
  let streams = 0;

  app.get('/events', async (c) => {
    // A browser connects again and again by itself, and can send no header that says so.
    const refused = await enter(c, sessions, true);
    if (refused !== null) return refused;
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
    if (streams >= MOST_STREAMS) return answerNothing(503, { 'retry-after': '30' });
    streams += 1;
    const token = readSessionCookie(c) ?? '';
    followChanges({
      writer: openEventWriter(c.env.outgoing, { retryMs: RETRY_MS }),
      changes,
      isLive: async () => (await sessions.find(token, false)) !== null,
      onEnd: () => {
        streams -= 1;
      },
    });
    return alreadySent();
  });
}
