import { asFields, type CheckService, isJson, isLink, isText } from './notification-request.ts';

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const MOST_BYTES = 4096;
const MOST_JSON_BYTES = 2 * MOST_BYTES;

const answer = (status: number, code: number) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(
    status === 200 ? { id: 'hwQ2YpKdmg', event: 'message' } : { code, http: status, error: 'invalid request' },
  ),
});

/** Publishing as JSON to the root of an ntfy server. */
export const checkNtfy: CheckService = (request, { topic: ownTopic, token }) => {
  if (request.path !== '/') return answer(404, 40401);
  const { authorization } = request.headers;
  if (token !== undefined && authorization !== `Bearer ${token}`) return answer(403, 40301);
  if (Buffer.byteLength(request.text) > MOST_JSON_BYTES) return answer(413, 41303);
  const message = isJson(request) ? asFields(request.body) : null;
  if (message === null) return answer(400, 40024);
  const { topic, title, message: text, priority, tags, click, sequence_id: sequence } = message;
  if (typeof topic !== 'string' || !TOPIC.test(topic) || topic !== ownTopic) return answer(400, 40009);
  if (title !== undefined && !isText(title, MOST_BYTES)) return answer(400, 40024);
  // A longer one is no message any more but an attachment.
  if (typeof text !== 'string' || Buffer.byteLength(text) > MOST_BYTES) return answer(400, 40024);
  if (priority !== undefined && !(Number.isInteger(priority) && Number(priority) >= 1 && Number(priority) <= 5)) {
    return answer(400, 40007);
  }
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => isText(tag, 100)))) return answer(400, 40024);
  if (click !== undefined && !isLink(click)) return answer(400, 40024);
  if (sequence !== undefined && !(typeof sequence === 'string' && TOPIC.test(sequence))) return answer(400, 40049);
  return answer(200, 0);
};
