import { cutText } from '@tidegate/core';
import type { Content } from './create-scrubber.ts';
import type { Outgoing } from './notify-target.ts';

/** A longer message becomes an attachment; with what JSON adds to it, everything has to fit into twice as much. */
const MESSAGE_BYTES = 4096;
const TITLE = 200;
const PRIORITIES = { critical: 5, warning: 4, info: 3 } as const;
const TAGS = { critical: 'rotating_light', warning: 'warning', info: 'information_source' } as const;

/**
 * A message for ntfy, published as JSON: no text of ours becomes a header, so no header can be smuggled in. All of a thread
 * share a sequence, by which the app shows the newest in place of the ones before.
 */
export function renderNtfy({ message }: Outgoing): Content {
  const { title, lines, severity, kind, link, thread } = message;
  const over = kind === 'resolve';
  return {
    title: cutText(title, TITLE),
    message: cutText(lines.join('\n'), MESSAGE_BYTES, (text) => Buffer.byteLength(JSON.stringify(text), 'utf8')),
    priority: over ? 2 : PRIORITIES[severity],
    tags: [over ? 'white_check_mark' : TAGS[severity]],
    sequence_id: thread,
    ...(link === null ? {} : { click: link }),
  };
}
