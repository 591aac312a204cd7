import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { readFrom } from '../layout/read-from.ts';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { SubjectsPage } from './subjects-page.tsx';

const PAGE_SIZE = 50;

/** `GET /subjects`. */
export function addSubjectsPage(app: Hono<ApiEnv>, { store }: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.subjects;
  app.get(section.path, signedIn(sessions, section), async (c) => {
    const from = readFrom(c);
    const subjects = await store.listSubjectPage({ from, most: PAGE_SIZE });
    const frame = { title: 'Devices and tunnels', viewer: viewerOf(c), section };
    return answerPage(c, frame, <SubjectsPage subjects={subjects} from={from} most={PAGE_SIZE} />);
  });
}
