import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { AppEnv } from '../listener/serve-app.ts';
import { waitToAnswer } from '../wait-ms.ts';
import type { AgentState } from './agent-state.ts';

/** The pages of an agent; they read `agent` at each request, so a change of its state shows at once. */
export function createAgentApp(agent: AgentState): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/livez', (c) => c.text('ok'));
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', () => {
    const { httpStatus, ...body } = agent.readiness;
    return Response.json(body, { status: httpStatus ?? (body.status === 'unready' ? 503 : 200) });
  });
  app.get('/whoami', (c) => answerWhoami(agent, c));
  app.notFound((c) => c.text('not found', 404));
  return app;
}

async function answerWhoami(agent: AgentState, c: Context<AppEnv>): Promise<Response> {
  if (agent.mode === 'slow' && !(await waitToAnswer(agent.slowMs, c.env.outgoing))) return RESPONSE_ALREADY_SENT;
  if (agent.mode === 401 || c.req.header('authorization') !== `Bearer ${agent.probeToken}`) {
    return c.json({ error: 'unauthorized' }, 401, { 'www-authenticate': 'Bearer' });
  }
  if (agent.mode === 500) return c.json({ error: 'internal' }, 500);
  const nonce = c.req.header('tidegate-nonce');
  return c.json({ agent: 'research-agent', scope: 'probe', ...(nonce === undefined ? {} : { nonce }) });
}
