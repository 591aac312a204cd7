import { createHmac, timingSafeEqual } from 'node:crypto';
import { asFields, type CheckService, isInstant, isJson, isText } from './notification-request.ts';

const TOLERANCE_S = 300;

/** A receiver that holds a sender to Standard Webhooks: signature over id, time and the raw body; type, timestamp, data. */
export const checkWebhook: CheckService = (request, { path, signingSecret = '' }) => {
  if (request.path !== path) return { status: 404 };
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = request.headers;
  if (typeof id !== 'string' || typeof sentAt !== 'string' || typeof signatures !== 'string') return { status: 400 };
  if (!/^\d+$/.test(sentAt) || Math.abs(Date.now() / 1000 - Number(sentAt)) > TOLERANCE_S) return { status: 400 };
  const key = Buffer.from(signingSecret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${sentAt}.${request.text}`).digest();
  if (!signatures.split(' ').some((signature) => matches(signature, wanted))) return { status: 401 };
  const event = isJson(request) ? asFields(request.body) : null;
  const whole = isText(event?.type, 100) && isInstant(event?.timestamp) && asFields(event?.data) !== null;
  return { status: whole ? 204 : 400 };
};

function matches(signature: string, wanted: Buffer): boolean {
  const [version, value = ''] = signature.split(',');
  const given = Buffer.from(value, 'base64');
  return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
}
