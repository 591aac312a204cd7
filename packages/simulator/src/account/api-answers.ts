import { formatRetryAfter } from '../format-retry-after.ts';
import type { AccountTunnel, Device } from './account-state.ts';
import type { AnswerFault, AnswerShape } from './answer-faults.ts';

/** One object as the API shows it, bent by `shape`. */
export function oneAnswer(item: object, shape: AnswerShape): Response {
  return Response.json(applyShape(item, shape));
}

/** A list as the API shows it, bent by `shape`. */
export function listAnswer(items: readonly object[], shape: AnswerShape): Response {
  const shaped = items.map((item) => applyShape(item, shape));
  return Response.json(shape.wrapListsIn === null ? shaped : { [shape.wrapListsIn]: shaped });
}

/** The answer of a fault that answers at all. */
export function faultAnswer(fault: Exclude<AnswerFault, { kind: 'hang' | 'drop' }>): Response {
  switch (fault.kind) {
    case 'rate_limited': {
      const answer = problem(429, 'Too Many Requests');
      if (fault.retryAfter !== null) answer.headers.set('retry-after', formatRetryAfter(fault.retryAfter));
      return answer;
    }
    case 'status':
      return problem(fault.status, 'An error occurred while processing your request.');
    case 'malformed_json':
      return new Response(fault.body ?? '[{"id":298', {
        headers: { 'content-type': 'application/json; charset=utf-8' },
      });
  }
}

/** A problem object as 400 and most other failures carry it. */
export function problem(status: number, title: string, errors?: Record<string, string[]>): Response {
  const body = JSON.stringify({ title, status, ...(errors === undefined ? {} : { errors }) });
  return new Response(body, { status, headers: { 'content-type': 'application/problem+json; charset=utf-8' } });
}

/** An AuthToken with the fields that other people's programs rely on. */
export function describeDevice(device: Device): object {
  return { token: device.token, name: device.name, clientIsOnline: device.online };
}

/** A tunnel with the fields that other people's programs rely on. */
export function describeTunnel(tunnel: AccountTunnel): object {
  const url = new URL(tunnel.url);
  return {
    id: Number(tunnel.id),
    title: tunnel.title,
    url: tunnel.url,
    status: tunnel.status,
    connectionStatus: tunnel.connectionStatus,
    protocolType: 'http',
    clientPort: 9000,
    serverDomain: url.hostname,
    serverIp: '203.0.113.7',
    serverPort: Number(url.port || 443),
  };
}

function applyShape(item: object, shape: AnswerShape): object {
  const fields = Object.entries(item).filter(([name]) => !shape.missingFields.includes(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, shape.idsAsStrings && name === 'id' ? String(value) : value]),
  );
}
