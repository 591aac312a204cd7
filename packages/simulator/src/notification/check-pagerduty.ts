import { asFields, type CheckService, type Fields, isInstant, isJson, isLink, isText } from './notification-request.ts';

const SUMMARY = 1024;
const DEDUP_KEY = 255;
const MOST_BYTES = 512 * 1024;

const answer = (status: number, fields: Fields) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(fields),
});
const refuse = (...errors: string[]) =>
  answer(400, { status: 'invalid event', message: 'Event object is invalid', errors });

/** PagerDuty's Events API v2. */
export const checkPagerduty: CheckService = (request, { routingKey }) => {
  if (request.path !== '/v2/enqueue') return answer(404, {});
  if (Buffer.byteLength(request.text) > MOST_BYTES) return answer(413, {});
  const event = isJson(request) ? asFields(request.body) : null;
  if (event === null) return refuse('The event is no JSON object');
  const { routing_key: key, event_action: action, dedup_key: dedupKey, payload, client_url: clientUrl, links } = event;
  if (key !== routingKey) return refuse("'routing_key' is invalid");
  if (!['trigger', 'acknowledge', 'resolve'].includes(String(action))) return refuse("'event_action' is invalid");
  if (dedupKey === undefined ? action !== 'trigger' : !isText(dedupKey, DEDUP_KEY))
    return refuse("'dedup_key' is invalid");
  if (action === 'trigger' && !isPayload(asFields(payload))) return refuse("'payload' is invalid");
  const linked =
    Array.isArray(links ?? []) && ((links ?? []) as unknown[]).every((link) => isLink(asFields(link)?.href));
  if (!linked || (clientUrl !== undefined && !isLink(clientUrl))) return refuse("'links' is invalid");
  return answer(202, { status: 'success', message: 'Event processed', dedup_key: dedupKey ?? 'made' });
};

function isPayload(payload: Fields | null): boolean {
  if (payload === null) return false;
  const { summary, source, severity, timestamp } = payload;
  return (
    isText(summary, SUMMARY) &&
    isText(source, SUMMARY) &&
    ['critical', 'error', 'warning', 'info'].includes(String(severity)) &&
    (timestamp === undefined || isInstant(timestamp))
  );
}
