import { asFields, type CheckService, type Fields, isInstant, isJson, isLink, isText } from './notification-request.ts';

const CONTENT = 2000;
const MOST_EMBEDS = 10;
const TITLE = 256;
const DESCRIPTION = 4096;
const ALL = 6000;
const WHITE = 0xffffff;

const refuse = (status: number, code: number) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code, message: code === 10015 ? 'Unknown Webhook' : 'Invalid Form Body' }),
});

/** Discord's Execute Webhook: 204 without a body, unless asked to wait. */
export const checkDiscord: CheckService = (request, { path }) => {
  if (request.path !== path) return refuse(404, 10015);
  const message = isJson(request) ? asFields(request.body) : null;
  if (message === null) return refuse(400, 50109);
  const { content, embeds = [] } = message;
  if (content !== undefined && !isText(content, CONTENT)) return refuse(400, 50035);
  if (!Array.isArray(embeds) || embeds.length > MOST_EMBEDS) return refuse(400, 50035);
  if (content === undefined && embeds.length === 0) return refuse(400, 50006);
  const fields = embeds.map(asFields);
  const size = fields.reduce((sum, embed) => sum + lengthOf(embed?.title) + lengthOf(embed?.description), 0);
  return fields.every(isEmbed) && size <= ALL ? { status: 204 } : refuse(400, 50035);
};

function isEmbed(embed: Fields | null): boolean {
  if (embed === null) return false;
  const { title, description, color, timestamp, url } = embed;
  const coloured = color === undefined || (Number.isInteger(color) && Number(color) >= 0 && Number(color) <= WHITE);
  return (
    (title === undefined || isText(title, TITLE)) &&
    (description === undefined || isText(description, DESCRIPTION)) &&
    (timestamp === undefined || isInstant(timestamp)) &&
    (url === undefined || isLink(url)) &&
    coloured
  );
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
