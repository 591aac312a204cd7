import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../listener/read-body.ts';
import { startListener } from '../listener/start-listener.ts';
import { checkAlertmanager } from './check-alertmanager.ts';
import { checkDiscord } from './check-discord.ts';
import { checkNtfy } from './check-ntfy.ts';
import { checkPagerduty } from './check-pagerduty.ts';
import { checkSlack } from './check-slack.ts';
import { checkWebhook } from './check-webhook.ts';
import type { CheckService, NotificationRequest, ServiceAnswer, ServiceSecrets } from './notification-request.ts';

const SERVICES = {
  webhook: checkWebhook,
  slack: checkSlack,
  discord: checkDiscord,
  pagerduty: checkPagerduty,
  alertmanager: checkAlertmanager,
  ntfy: checkNtfy,
} as const satisfies Readonly<Record<string, CheckService>>;

export type NotificationServiceKind = keyof typeof SERVICES;

/** Instead of what the documentation says: an answer, a connection that is reset, or silence. */
export type ServiceFault = ServiceAnswer | 'reset' | 'hang';

/** A service that takes notifications and is as strict as the real one is documented to be. */
export interface NotificationService {
  readonly kind: NotificationServiceKind;
  readonly url: string;
  readonly port: number;
  /** Every request whose body ended, in order. */
  readonly requests: readonly NotificationRequest[];
  /** Those that the service took. */
  readonly taken: readonly NotificationRequest[];
  /** For the next `times` requests; queues behind earlier ones. */
  failNext(fault: ServiceFault, times?: number): void;
  /** Connections are refused until `start()`, on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one on 127.0.0.1. Throws `SimulatorError` `port_in_use` when the wanted port is taken. */
export async function startNotificationService(
  kind: NotificationServiceKind,
  secrets: ServiceSecrets,
  port = 0,
): Promise<NotificationService> {
  const requests: NotificationRequest[] = [];
  const faults: ServiceFault[] = [];
  const listener = await startListener(async (request, response) => {
    const received = await readRequest(request);
    if (received === null) return void response.destroy();
    const fault = faults.shift();
    if (fault === 'hang' || fault === 'reset') {
      requests.push({ ...received, status: 0 });
      if (fault === 'reset') request.socket.resetAndDestroy();
      return;
    }
    const said = fault ?? SERVICES[kind](received, secrets);
    requests.push({ ...received, status: said.status });
    respond(response, said);
  }, port);
  return {
    kind,
    get url() {
      return listener.url;
    },
    get port() {
      return listener.port;
    },
    requests,
    get taken() {
      return requests.filter(({ status }) => status >= 200 && status < 300);
    },
    failNext: (fault, times = 1) => faults.push(...Array.from({ length: times }, () => fault)),
    stop: listener.stop,
    start: listener.start,
    close: listener.stop,
  };
}

async function readRequest(request: IncomingMessage): Promise<Omit<NotificationRequest, 'status'> | null> {
  const { bytes, complete } = await readBody(request);
  if (!complete) return null;
  const text = bytes.toString('utf8');
  const { method = '', headers } = request;
  const path = new URL(request.url ?? '/', 'http://service').pathname;
  return { atMs: Date.now(), method, path, headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function respond(response: ServerResponse, { status, headers = {}, body = '' }: ServiceAnswer): void {
  response.writeHead(status, headers).end(body);
}
