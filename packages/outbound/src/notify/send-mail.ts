import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { cutText, type NotificationMessage } from '@tidegate/core';
import { createTransport } from 'nodemailer';
import type { AddressGuard } from '../guard/address-guard.ts';
import type { Deadline } from '../http/deadline.ts';
import { openConnection } from '../http/open-connection.ts';
import type { MailTarget, NotifyOutcome, Outgoing } from './notify-target.ts';

const SUBJECT = 200;

/** The words of a mail, and nothing of where it goes. */
export interface MailContent {
  readonly [key: string]: string;
  readonly subject: string;
  readonly text: string;
}

export function renderMail({ title, lines, link }: NotificationMessage): MailContent {
  return { subject: cutText(title, SUBJECT), text: [...lines, ...(link === null ? [] : ['', link]), ''].join('\n') };
}

type MailOutcome = NotifyOutcome extends infer O
  ? O extends NotifyOutcome
    ? Omit<O, 'latencyMs' | 'scrubbed'>
    : never
  : never;

interface Sending {
  readonly guard: AddressGuard;
  readonly target: MailTarget;
  readonly outgoing: Outgoing;
  readonly content: MailContent;
  readonly deadline: Deadline;
}

/**
 * Sends one mail over a connection that has passed the guard. The library writes the headers, so that none can be smuggled in;
 * addresses come from the config alone. `Message-ID` is the same at each attempt, and all mails of a thread refer to one root.
 */
export async function sendMail(sending: Sending): Promise<MailOutcome> {
  const { guard, target, deadline } = sending;
  const { host: hostname, port } = target;
  const destination = { origin: `smtp://${hostname}:${port}`, hostname, port, secure: false, target: '' };
  const admission = await Promise.race([guard.admit(destination), deadline.hit]);
  if (typeof admission === 'string') return again(admission);
  if (!admission.ok) return again(admission.reason);
  const { addresses } = admission;
  const opened = await openConnection({ destination, addresses, deadline, extraCa: guard.extraCa });
  if (!opened.ok) return again(opened.reason);
  return speak(sending, opened.socket);
}

async function speak({ guard, target, outgoing, content, deadline }: Sending, socket: Socket): Promise<MailOutcome> {
  const { host, port, security, user, password, from, to } = target;
  const timeoutMs = Math.max(1, Math.ceil(deadline.remainingMs()));
  const transport = createTransport(
    {
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: {
        minVersion: 'TLSv1.2',
        ...(guard.extraCa === undefined ? {} : { ca: [...rootCertificates, guard.extraCa] }),
      },
      ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      // The library dials nothing itself.
      getSocket: (_options: unknown, callback: (error: Error | null, options: { connection: Socket }) => void) =>
        callback(null, { connection: socket }),
    },
    {},
  );
  const domain = from.slice(from.indexOf('@') + 1);
  const root = `<${outgoing.message.thread}@${domain}>`;
  const sent = transport
    .sendMail({
      from,
      to: [...to],
      subject: content.subject,
      text: content.text,
      messageId: `<${outgoing.id}@${domain}>`,
      inReplyTo: root,
      references: [root],
      date: new Date(outgoing.message.decidedAt),
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(outgoing.message.severity === 'critical' ? { priority: 'high' as const } : {}),
    })
    .then(({ rejected }): MailOutcome => {
      const partly = rejected.length > 0;
      return { result: 'delivered', status: 250, reason: partly ? 'partly_rejected' : 'answered' };
    }, explain);
  const cutOff = deadline.hit.then((cause): MailOutcome => ({ ...again(cause), reached: true }));
  try {
    return await Promise.race([sent, cutOff]);
  } finally {
    transport.close();
    socket.destroy();
  }
}

function again(reason: string): MailOutcome & { result: 'retry' } {
  return { result: 'retry', status: null, reason, reached: false, retryAfterMs: null };
}

/** Codes only: messages of the library quote what the server said, and could quote what it was told. */
function explain(error: {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}): MailOutcome {
  const status = typeof error.responseCode === 'number' ? error.responseCode : null;
  // A password is mended by a person, and what happened meanwhile should be told then.
  if (status !== null && status >= 500 && error.code === 'EAUTH') return { ...again('unauthorized'), status };
  if (status !== null && status >= 500) return { result: 'refused', status, reason: 'rejected' };
  if (status !== null && status >= 400) return { ...again('server_error'), status };
  const codes = `${String(error.code)} ${String(error.originalCode)}`;
  const tls = /CERT|TLS|SSL/.test(codes);
  return { ...again(tls ? 'tls' : 'reset'), reached: error.command === 'DATA' };
}
