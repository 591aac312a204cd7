import { html } from 'hono/html';

/** Words between backticks are of the protocol and not of the sentence. */
export function renderWords(text: string): ReturnType<typeof html> {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
