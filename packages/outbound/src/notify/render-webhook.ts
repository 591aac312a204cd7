import type { NotificationKind } from '@tidegate/core';
import type { Content } from './create-scrubber.ts';
import type { Outgoing } from './notify-target.ts';

const TYPES: Readonly<Record<NotificationKind, string>> = {
  open: 'incident.opened',
  update: 'incident.updated',
  resolve: 'incident.resolved',
  needs_review: 'callbacks.needs_review',
  test: 'test',
};

/** Of the callbacks of a service that wait for a person. */
const REVIEW_TYPES: Readonly<Partial<Record<NotificationKind, string>>> = {
  update: 'callbacks.review_updated',
  resolve: 'callbacks.reviewed',
};

/** The payload as Standard Webhooks advises: a type, the time of the event, the data. */
export function renderWebhook({ id, message }: Outgoing): Content {
  const {
    kind,
    thread,
    title,
    lines,
    severity,
    group,
    services,
    servicesInAll,
    startedAt,
    endedAt,
    acknowledged,
    link,
  } = message;
  return {
    type: (thread.startsWith('rev_') ? REVIEW_TYPES[kind] : undefined) ?? TYPES[kind],
    timestamp: message.decidedAt,
    data: {
      id,
      thread,
      title,
      text: lines.join('\n'),
      severity,
      group,
      services: [...services],
      servicesInAll,
      startedAt,
      endedAt,
      acknowledged,
      link,
    },
  };
}
