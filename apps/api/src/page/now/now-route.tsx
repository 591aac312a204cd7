import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { readDid } from '../layout/read-did.ts';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { headline } from './headline.ts';
import { loadNow } from './load-now.ts';
import { NowPage } from './now-page.tsx';

/** `GET /`: what is wrong now. */
export function addNowPage(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.now;
  app.get(section.path, signedIn(sessions, section), async (c) => {
    const viewer = viewerOf(c);
    const now = await loadNow(context, viewer);
    const { text } = headline(now, viewer.services === null);
    return answerPage(c, { title: text, viewer, section }, <NowPage now={now} viewer={viewer} did={readDid(c)} />);
  });
}
