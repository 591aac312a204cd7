import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { answerPage } from '../layout/answer-page.tsx';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';
import { viewerOf } from '../session/viewer.ts';
import { AuditPage } from './audit-page.tsx';

const PAGE_SIZE = 50;

/** `GET /audit`. */
export function addAuditPage(app: Hono<ApiEnv>, { store }: ApiContext, sessions: Sessions): void {
  const section = SECTIONS.audit;
  app.get(section.path, signedIn(sessions, section), async (c) => {
    const before = /^\d{1,15}$/.exec(c.req.query('before') ?? '')?.[0];
    const rows = await store.listAudit(before === undefined ? null : Number(before), PAGE_SIZE + 1);
    const shown = rows.slice(0, PAGE_SIZE);
    const next = rows.length > PAGE_SIZE ? (shown.at(-1)?.seq ?? null) : null;
    return answerPage(c, { title: 'Audit', viewer: viewerOf(c), section }, <AuditPage rows={shown} next={next} />);
  });
}
