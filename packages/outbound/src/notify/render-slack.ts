import { cutText } from '@tidegate/core';
import type { Content } from './create-scrubber.ts';
import type { Outgoing } from './notify-target.ts';

/** Limits of Block Kit: a header of 150 characters, a section's text of 3,000; `text` is what a phone's notification shows. */
const HEADER = 150;
const SECTION = 3000;
const FALLBACK = 3000;

/**
 * A message for a Slack-compatible incoming webhook. Slack shows the blocks, and the text on a phone's lock screen; Mattermost,
 * Rocket.Chat and others know no blocks and show the text, so all of it is in both. Nothing in it mentions anybody, since the three control
 * characters are escaped.
 */
export function renderSlack({ message }: Outgoing): Content {
  const { title, lines, severity, kind, link } = message;
  const mark =
    kind === 'resolve'
      ? ':white_check_mark:'
      : { critical: ':rotating_light:', warning: ':warning:', info: ':information_source:' }[severity];
  const text = lines.map(escapeControls).join('\n');
  const body = link === null ? text : `${text}\n<${link}|Open the page>`;
  return {
    text: cutText(`${mark} ${escapeControls(title)}\n${body}`, FALLBACK),
    blocks: [
      // A header is plain text: escaping would show.
      { type: 'header', text: { type: 'plain_text', text: cutText(title, HEADER), emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: cutText(body, SECTION), verbatim: true } },
    ],
  };
}

function escapeControls(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
