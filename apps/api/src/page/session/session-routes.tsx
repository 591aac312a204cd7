import type { Context, Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { answerPage, goTo } from '../layout/answer-page.tsx';
import { answerError } from '../layout/error-page.tsx';
import { createAttemptLimit } from './attempt-limit.ts';
import { readNextPath } from './next-path.ts';
import { readForm } from './read-form.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './session-cookie.ts';
import { LONGEST_MS, type Sessions } from './sessions.ts';
import { SignInPage, type SignInProblem } from './sign-in-page.tsx';
import { FOREIGN_FORM, isFromOurPage } from './signed-in.ts';

const QUIET_MS = 1000;
const KEY = /^tdg_[A-Za-z0-9]{16,128}$/;

/** `GET` and `POST /sign-in`, `POST /sign-out`. */
export function addSessionRoutes(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  const limit = createAttemptLimit(() => performance.now());
  const logLimited = limitedLogger(context.log);

  app.get('/sign-in', (c) => {
    const problem = c.req.query('out') !== undefined ? 'left' : c.req.query('ended') !== undefined ? 'ended' : null;
    return answerSignIn(c, { problem, next: readNextPath(c.req.query('next')) });
  });

  app.post('/sign-in', async (c) => {
    if (!isFromOurPage(c)) return answerError(c, 403, FOREIGN_FORM);
    const form = await readForm(c.env.incoming);
    const next = readNextPath(form?.get('next') ?? undefined);
    const presented = form?.get('key')?.trim() ?? '';
    const key = KEY.test(presented) ? await context.keys.find(presented) : null;
    if (key === null) {
      const waitMs = limit.refused(c.env.incoming.socket.remoteAddress ?? '');
      if (waitMs === 0) {
        context.log.warn('session.refused', { reason: 'key_refused' });
        return answerSignIn(c, { problem: 'refused', next }, 401);
      }
      logLimited();
      c.header('retry-after', String(Math.ceil(waitMs / 1000)));
      return answerSignIn(c, { problem: 'limited', next }, 429);
    }
    await endPresent(c, sessions);
    setSessionCookie(c, await sessions.start(key), { longestMs: LONGEST_MS });
    context.log.info('session.started', { key: key.id });
    return goTo(c, next);
  });

  app.post('/sign-out', async (c) => {
    if (!isFromOurPage(c)) return answerError(c, 403, FOREIGN_FORM);
    await endPresent(c, sessions);
    clearSessionCookie(c);
    return goTo(c, '/sign-in?out=1');
  });
}

/** One line a second at most: whoever guesses without end is not to fill the disk. */
function limitedLogger(log: ApiContext['log']): () => void {
  let quietUntilMs = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + QUIET_MS;
    log.warn('session.refused', { reason: 'limited' });
  };
}

/** Whoever signs in anew leaves no second session behind. */
async function endPresent(c: Context<ApiEnv>, sessions: Sessions): Promise<void> {
  const token = readSessionCookie(c);
  if (token !== null) await sessions.end(token);
}

function answerSignIn(
  c: Context<ApiEnv>,
  content: { readonly problem: SignInProblem | null; readonly next: string },
  status: 200 | 401 | 429 = 200,
): Response {
  return answerPage(c, { title: 'Sign in', viewer: null }, <SignInPage {...content} />, status);
}
