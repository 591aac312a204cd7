import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { SourcesPage } from './sources-page.tsx';

/** `GET /sources`. */
export function addSourcesPage(app: Hono<ApiEnv>, { store }: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.sources;
  app.get(section.path, signedIn(sessions, section), async (c) => {
    const sources = await store.listSources();
    const frame = { title: 'Sources', viewer: viewerOf(c), section };
    return answerPage(c, frame, <SourcesPage sources={sources} at={new Date()} />);
  });
}
