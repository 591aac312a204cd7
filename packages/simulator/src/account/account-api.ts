import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { AppEnv } from '../listener/serve-app.ts';
import { waitToAnswer } from '../wait-ms.ts';
import type { AccountState, AccountTunnel, Change, Device } from './account-state.ts';
import type { AnswerFaults, AnswerShape } from './answer-faults.ts';
import { describeDevice, describeTunnel, faultAnswer, listAnswer, oneAnswer, problem } from './api-answers.ts';
import type { ApiEndpoint, RequestLog } from './request-log.ts';

/** What the API of one account answers from; read at each request, so a change shows at once. */
export interface AccountApi {
  readonly apiKey: string;
  readonly state: AccountState;
  readonly faults: AnswerFaults;
  readonly shape: AnswerShape;
  readonly log: RequestLog;
  readonly keepRawPaths: boolean;
  latencyMs: number;
  /** Told when an API action changed a tunnel. */
  readonly onChanges: (changes: Change[]) => void;
}

type ApiContext = Context<AppEnv>;
type Answer = (c: ApiContext) => Response;

/** The Localtonet API v2 under `/api/v2` (LOCALTONET.md, "REST API v2"). */
export function createAccountApi(api: AccountApi): Hono<AppEnv> {
  const app = new Hono<AppEnv>().basePath('/api/v2');
  const { state, shape } = api;
  const serve = (endpoint: ApiEndpoint, answer: Answer) => (c: ApiContext) => serveEndpoint(api, endpoint, answer, c);
  const tunnelsOf = (device: Device) => listAnswer(state.tunnelsOf(device.token).map(describeTunnel), shape);
  const device = withDevice(state, (found) => oneAnswer(describeDevice(found), shape));
  const tunnel = withTunnel(state, (found) => oneAnswer(describeTunnel(found), shape));
  const act = (started: boolean) =>
    withTunnel(state, ({ id }) => {
      api.onChanges(state.setTunnelStarted(id, started));
      return new Response(null, { status: 204 });
    });

  app.get(
    '/auth-tokens',
    serve('GET /auth-tokens', () => listAnswer(state.devices.map(describeDevice), shape)),
  );
  app.get('/auth-tokens/:token', serve('GET /auth-tokens/{token}', device));
  app.get('/auth-tokens/:token/tunnels', serve('GET /auth-tokens/{token}/tunnels', withDevice(state, tunnelsOf)));
  app.get(
    '/tunnels',
    serve('GET /tunnels', () => listAnswer(state.tunnels.map(describeTunnel), shape)),
  );
  app.get('/tunnels/:id', serve('GET /tunnels/{id}', tunnel));
  app.post('/tunnels/:id/actions/start', serve('POST /tunnels/{id}/actions/start', act(true)));
  app.post('/tunnels/:id/actions/stop', serve('POST /tunnels/{id}/actions/stop', act(false)));
  app.all(
    '*',
    serve('unknown', () => problem(404, 'Not Found')),
  );
  return app;
}

async function serveEndpoint(api: AccountApi, endpoint: ApiEndpoint, answer: Answer, c: ApiContext): Promise<Response> {
  const { token, id } = c.req.param() as Record<string, string | undefined>;
  const entry = api.log.add({
    atMs: Date.now(),
    endpoint,
    subject: api.state.findDevice(token ?? '')?.name ?? api.state.findTunnel(id ?? '')?.id ?? null,
    status: null,
    ...(api.keepRawPaths ? { rawPath: c.env.incoming.url ?? '' } : {}),
  });
  if (!(await waitToAnswer(api.latencyMs, c.env.outgoing))) return RESPONSE_ALREADY_SENT;
  const authorized = c.req.header('authorization') === `Bearer ${api.apiKey}`;
  const fault = authorized ? api.faults.take(endpoint) : null;
  if (fault?.kind === 'hang') return new Promise<never>(() => undefined);
  if (fault?.kind === 'drop') {
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  const response = !authorized ? new Response(null, { status: 401 }) : fault ? faultAnswer(fault) : answer(c);
  entry.status = response.status;
  return response;
}

function withDevice(state: AccountState, answer: (device: Device) => Response): Answer {
  return (c) => {
    const device = state.findDevice(c.req.param('token') ?? '');
    return device ? answer(device) : problem(404, 'Not Found');
  };
}

function withTunnel(state: AccountState, answer: (tunnel: AccountTunnel) => Response): Answer {
  return (c) => {
    const id = c.req.param('id') ?? '';
    if (!/^\d+$/.test(id))
      return problem(400, 'One or more validation errors occurred.', { tunnelId: ['Not a number.'] });
    const tunnel = state.findTunnel(id);
    return tunnel ? answer(tunnel) : problem(404, 'Not Found');
  };
}
