import { asFields, type CheckService, type Fields, isInstant, isJson, isLink } from './notification-request.ts';

const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const refuse = (message: string) => ({
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(message),
});

/** `POST /api/v2/alerts` of Alertmanager. */
export const checkAlertmanager: CheckService = (request, { authorization }) => {
  if (authorization !== undefined && request.headers.authorization !== authorization) return { status: 401 };
  if (request.path !== '/api/v2/alerts') return { status: 404 };
  if (!isJson(request) || !Array.isArray(request.body)) return refuse('parsing alerts body failed');
  return request.body.every((alert) => isAlert(asFields(alert))) ? { status: 200 } : refuse('invalid alert');
};

function isAlert(alert: Fields | null): boolean {
  if (alert === null) return false;
  const labels = asFields(alert.labels);
  const annotations = asFields(alert.annotations ?? {});
  if (labels === null || annotations === null || !areNamed(labels) || !areNamed(annotations)) return false;
  // An empty label counts as absent, and an alert without a name is none that a route could match.
  if (typeof labels.alertname !== 'string' || labels.alertname === '') return false;
  const { startsAt, endsAt, generatorURL } = alert;
  if (startsAt !== undefined && !isInstant(startsAt)) return false;
  if (endsAt !== undefined && !isInstant(endsAt)) return false;
  if (isInstant(startsAt) && isInstant(endsAt) && Date.parse(endsAt) < Date.parse(startsAt)) return false;
  return generatorURL === undefined || isLink(generatorURL);
}

function areNamed(fields: Fields): boolean {
  return Object.entries(fields).every(([name, value]) => LABEL.test(name) && typeof value === 'string');
}
