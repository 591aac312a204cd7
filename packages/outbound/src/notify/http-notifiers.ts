import { Webhook } from 'standardwebhooks';
import type { Content } from './create-scrubber.ts';
import type { HttpTarget, Outgoing } from './notify-target.ts';
import { renderAlertmanager } from './render-alertmanager.ts';
import { renderDiscord } from './render-discord.ts';
import { renderNtfy } from './render-ntfy.ts';
import { renderPagerduty } from './render-pagerduty.ts';
import { renderSlack } from './render-slack.ts';
import { renderWebhook } from './render-webhook.ts';

export interface HttpCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is to be said. Sees nothing of the target but its type, so that no secret can get into the content. */
export function renderFor(
  type: HttpTarget['type'],
  outgoing: Outgoing,
  { nowMs, repeatEveryMs }: { readonly nowMs: number; readonly repeatEveryMs: number },
): Content {
  switch (type) {
    case 'webhook':
      return renderWebhook(outgoing);
    case 'slack':
      return renderSlack(outgoing);
    case 'discord':
      return renderDiscord(outgoing);
    case 'pagerduty':
      return renderPagerduty(outgoing);
    case 'alertmanager':
      return renderAlertmanager(outgoing, nowMs, repeatEveryMs);
    case 'ntfy':
      return renderNtfy(outgoing);
  }
}

/**
 * The content, which has been scrubbed, in its envelope: where it goes, and what proves who we are. Null when a secret cannot be
 * used.
 */
export function addressTo(target: HttpTarget, id: string, content: Content, nowMs: number): HttpCall | null {
  const json = { 'content-type': 'application/json', 'user-agent': 'tidegate' };
  const body = JSON.stringify(content);
  switch (target.type) {
    case 'slack':
    case 'discord':
      return { url: target.url, headers: json, body };
    case 'webhook': {
      const signed = sign(target.signingSecret, id, body, nowMs);
      return signed === null ? null : { url: target.url, headers: { ...json, ...signed }, body };
    }
    case 'pagerduty':
      return { url: target.url, headers: json, body: withKey(content, 'routing_key', target.routingKey) };
    case 'alertmanager': {
      const proof = target.authorization === null ? {} : { authorization: target.authorization };
      return { url: `${target.url.replace(/\/+$/, '')}/api/v2/alerts`, headers: { ...json, ...proof }, body };
    }
    case 'ntfy': {
      const proof = target.token === null ? {} : { authorization: `Bearer ${target.token}` };
      return { url: target.url, headers: { ...json, ...proof }, body: withKey(content, 'topic', target.topic) };
    }
  }
}

function withKey(content: Content, key: string, value: string): string {
  return JSON.stringify({ [key]: value, ...(content as Record<string, Content>) });
}

function sign(secret: string, id: string, body: string, nowMs: number): Record<string, string> | null {
  try {
    const sentAt = new Date(nowMs);
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
    };
  } catch {
    // The library's error could describe the secret.
    return null;
  }
}
