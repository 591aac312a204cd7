import type { AddressGuard } from '../guard/address-guard.ts';
import { type Deadline, startDeadline } from '../http/deadline.ts';
import { createExchanger, type Exchanger } from '../http/exchange.ts';
import { type Content, createScrubber, type Scrubber } from './create-scrubber.ts';
import { addressTo, renderFor } from './http-notifiers.ts';
import { judgeDelivery } from './judge-delivery.ts';
import {
  type HttpTarget,
  type MailTarget,
  type NotifyOutcome,
  type NotifyTarget,
  type Outgoing,
  secretsOf,
} from './notify-target.ts';
import { renderMail, sendMail } from './send-mail.ts';

export interface Notifier {
  /**
   * Makes one attempt: words are scrubbed, rendered, scrubbed again as what they have become, put into their envelope and sent
   * over a connection of its own. Follows no redirect, repeats nothing, never rejects.
   */
  send(target: NotifyTarget, outgoing: Outgoing, options: { readonly timeoutMs: number }): Promise<NotifyOutcome>;
  /** Aborts what is in flight; its outcome says how far it got. */
  close(): Promise<void>;
}

const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Makes the notifier behind the notify room. @param secrets values that no notification may hold, such as those of the config;
 * those of the target itself are always among them
 */
export function createNotifier({
  guard,
  secrets,
  now = Date.now,
}: {
  readonly guard: AddressGuard;
  readonly secrets: readonly string[];
  readonly now?: () => number;
}): Notifier {
  const scrubbers = new Map<NotifyTarget, Scrubber>();
  const exchanger = createExchanger(guard);
  const mailer = createMailer(guard);

  function scrubberOf(target: NotifyTarget): Scrubber {
    const made = scrubbers.get(target) ?? createScrubber([...secrets, ...secretsOf(target)]);
    scrubbers.set(target, made);
    return made;
  }

  return {
    send: (target, outgoing, { timeoutMs }) => {
      const sending = { outgoing, timeoutMs, scrubber: scrubberOf(target) };
      return target.type === 'smtp' ? mailer.send(target, sending) : sendHttp(target, { ...sending, exchanger, now });
    },
    close: async () => {
      await Promise.all([exchanger.close(), mailer.close()]);
    },
  };
}

interface Sending {
  readonly outgoing: Outgoing;
  readonly timeoutMs: number;
  readonly scrubber: Scrubber;
}

/**
 * Renders words without a secret in them: once a service's markup has been escaped or a text cut, one is not known again by its
 * value. What comes out is looked at once more, as the last step.
 */
function renderClean<T extends Content>(scrubber: Scrubber, outgoing: Outgoing, render: (clean: Outgoing) => T) {
  const { message } = outgoing;
  const words = scrubber.scrub({ title: message.title, lines: [...message.lines] }, message);
  const last = scrubber.scrub(render({ ...outgoing, message: { ...message, ...words.content } }), message);
  return { content: last.content, scrubbed: words.removed + last.removed };
}

async function sendHttp(
  target: HttpTarget,
  { outgoing, timeoutMs, scrubber, exchanger, now }: Sending & { exchanger: Exchanger; now: () => number },
): Promise<NotifyOutcome> {
  const nowMs = now();
  const repeatEveryMs = target.type === 'alertmanager' ? target.repeatEveryMs : 0;
  const { content, scrubbed } = renderClean(scrubber, outgoing, (clean) =>
    renderFor(target.type, clean, { nowMs, repeatEveryMs }),
  );
  const call = addressTo(target, outgoing.id, content, nowMs);
  if (call === null) return { result: 'refused', status: null, reason: 'secret_unusable', latencyMs: 0, scrubbed };
  const result = await exchanger.exchange({
    url: call.url,
    method: 'POST',
    headers: call.headers,
    body: Buffer.from(call.body, 'utf8'),
    maxBodyBytes: MAX_ANSWER_BYTES,
    timeoutMs,
  });
  return { ...judgeDelivery(target.type, result, now()), latencyMs: result.latencyMs, scrubbed };
}

/** Keeps track of mails in flight, so that they can be cut off. */
function createMailer(guard: AddressGuard) {
  const inFlight = new Map<Promise<NotifyOutcome>, Deadline>();
  let closed = false;

  function send(target: MailTarget, { outgoing, timeoutMs, scrubber }: Sending): Promise<NotifyOutcome> {
    const startedAtMs = performance.now();
    const deadline = startDeadline(timeoutMs);
    if (closed) deadline.abort();
    const { content, scrubbed } = renderClean(scrubber, outgoing, ({ message }) => renderMail(message));
    const running = sendMail({ guard, target, outgoing, content, deadline })
      .then((outcome) => ({ ...outcome, latencyMs: Math.round(performance.now() - startedAtMs), scrubbed }))
      .finally(() => {
        deadline.stop();
        inFlight.delete(running);
      });
    inFlight.set(running, deadline);
    return running;
  }

  async function close(): Promise<void> {
    closed = true;
    for (const deadline of inFlight.values()) deadline.abort();
    await Promise.all(inFlight.keys());
  }

  return { send, close };
}
