import { cutText } from '@tidegate/core';
import type { Content } from './create-scrubber.ts';
import type { Outgoing } from './notify-target.ts';

/** Limits of a message: content of 2,000 characters; an embed's title of 256, its description of 4,096, 6,000 in all. */
const CONTENT = 2000;
const TITLE = 256;
const DESCRIPTION = 4096;
const COLOURS = { critical: 0xc62828, warning: 0xef6c00, info: 0x1565c0 } as const;
const RESOLVED_COLOUR = 0x2e7d32;

/** A message for a Discord webhook. It can mention nobody, whatever a name contains. */
export function renderDiscord({ message }: Outgoing): Content {
  const { title, lines, severity, kind, link, decidedAt } = message;
  return {
    content: cutText(escapeMarkdown(title), CONTENT),
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cutText(title, TITLE),
        description: cutText(lines.map(escapeMarkdown).join('\n'), DESCRIPTION),
        color: kind === 'resolve' ? RESOLVED_COLOUR : COLOURS[severity],
        timestamp: decidedAt,
        ...(link === null ? {} : { url: link }),
      },
    ],
  };
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]]/g, '\\$&');
}
