import { cutText } from '@tidegate/core';
import type { Content } from './create-scrubber.ts';
import type { Outgoing } from './notify-target.ts';

/** Limits of the Events API v2: a summary of 1,024 characters, a dedup_key of 255, 512 KB in all, which the lines never near. */
const SUMMARY = 1024;
const LINE = 1024;

/** An event of the Events API v2, without its routing key. One `dedup_key` per thread, so that PagerDuty knows its own alert again. */
export function renderPagerduty({ message }: Outgoing): Content {
  const { thread, title, lines, severity, group, services, startedAt, link, kind, acknowledged } = message;
  const action = kind === 'resolve' ? 'resolve' : kind === 'update' && acknowledged ? 'acknowledge' : 'trigger';
  return {
    event_action: action,
    dedup_key: `tidegate:${thread}`,
    payload: {
      summary: cutText(title, SUMMARY),
      source: group,
      severity,
      timestamp: startedAt,
      component: cutText(services.join(', '), LINE) || group,
      class: kind === 'needs_review' ? 'review' : 'connectivity',
      custom_details: { text: lines.map((line) => cutText(line, LINE)), thread },
    },
    client: 'Tidegate',
    ...(link === null ? {} : { client_url: link, links: [{ href: link, text: 'Open the page' }] }),
  };
}
