import { auditSigner } from '@tidegate/vault';
import type { Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { actorOf, logHead } from '../../hand/acting-key.ts';
import { isPublicId } from '../../query/public-id.ts';
import { goTo } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import { SECTIONS } from '../layout/sections.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';

/** `POST /silences/{id}/end`: what was muted by mistake at night is not to wait for a shell. */
export function addSilenceForm(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  const { store, keyring, log } = context;
  const enter = signedIn(sessions, { ...SECTIONS.incidents, scopes: ['incidents:write'] });
  app.post('/silences/:id/end', enter, async (c) => {
    const id = c.req.param('id');
    if (!isPublicId(id, 'sil')) return answerError(c, 404, NOTHING_HERE);
    const order = { id, ...actorOf(c), services: c.get('services') };
    const { outcome, head } = await store.endSilence(order, auditSigner(keyring));
    logHead(log, head);
    return outcome.kind === 'not_found' ? answerError(c, 404, NOTHING_HERE) : goTo(c, '/?did=unmuted');
  });
}
