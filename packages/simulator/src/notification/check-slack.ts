import { asFields, type CheckService, type Fields, isJson, isText } from './notification-request.ts';

const MOST_BLOCKS = 50;
const LONGEST_TEXT = 40_000;
const HEADER = 150;
const SECTION = 3000;

const refuse = (status: number, body: string) => ({ status, body });

/** An incoming webhook of Slack: `ok` in plain text, or a status and a word. */
export const checkSlack: CheckService = (request, { path }) => {
  if (request.path !== path) return refuse(404, 'no_service');
  const message = isJson(request) ? asFields(request.body) : null;
  if (message === null) return refuse(400, 'invalid_payload');
  const { text, blocks = [] } = message;
  if (text !== undefined && !isText(text, LONGEST_TEXT)) return refuse(400, 'invalid_payload');
  if (!Array.isArray(blocks) || blocks.length > MOST_BLOCKS) return refuse(400, 'invalid_blocks');
  if (text === undefined && blocks.length === 0) return refuse(400, 'no_text');
  return blocks.every((block) => isBlock(asFields(block)))
    ? { status: 200, body: 'ok' }
    : refuse(400, 'invalid_blocks');
};

function isBlock(block: Fields | null): boolean {
  const text = asFields(block?.text);
  if (block === null || text === null) return false;
  if (block.type === 'header') return text.type === 'plain_text' && isText(text.text, HEADER);
  return block.type === 'section' && ['mrkdwn', 'plain_text'].includes(String(text.type)) && isText(text.text, SECTION);
}
