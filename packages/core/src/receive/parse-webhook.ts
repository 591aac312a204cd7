import { z } from 'zod';
import type { ConnectivityStatus, SubjectType } from '../model/subject.ts';
import { type FieldNames, nameFields } from './name-fields.ts';
import { parseStrictJson, type StrictJsonRejection } from './parse-strict-json.ts';

/** What a delivery reports, in Tidegate's words. `id` is a credential when `type` is `device`. */
export interface Webhook {
  readonly id: string;
  readonly type: SubjectType;
  readonly status: ConnectivityStatus;
  /** The text as received; `parseActionDate` reads it. */
  readonly actionDate: string;
}

/** Undocumented fields, in order of appearance. */
export type ExtraFields = FieldNames;

export type WebhookField = 'Id' | 'ActionDate' | 'Type' | 'Status' | 'body';
export type WebhookProblem =
  | StrictJsonRejection
  | 'not_an_object'
  | 'missing'
  | 'not_a_string'
  | 'empty'
  | 'too_long'
  | 'not_allowed';

/** Names a field and a fixed code, never a received value or an undocumented name. */
export interface WebhookError {
  readonly field: WebhookField;
  readonly problem: WebhookProblem;
}

export type WebhookResult =
  | { readonly ok: true; readonly webhook: Webhook; readonly extra: ExtraFields }
  | { readonly ok: false; readonly errors: readonly WebhookError[] };

/**
 * The schema of record for a Localtonet webhook body (LOCALTONET.md). Names are matched exactly; other fields are
 * ignored.
 */
export const webhookSchema = z.object({
  Id: z.string().min(1).max(512),
  ActionDate: z.string().min(1).max(64),
  Type: z.enum(['Token', 'Tunnel']),
  Status: z.enum(['Connected', 'Disconnected']),
});

const FIELDS = ['Id', 'ActionDate', 'Type', 'Status'] as const;
const DOCUMENTED: ReadonlySet<string> = new Set(FIELDS);
const NO_EXTRA: ExtraFields = { names: [], unnamed: 0 };

/** Reads one webhook body. Never throws; every rejection is an answer of 400. */
export function parseWebhook(bytes: Uint8Array): WebhookResult {
  const json = parseStrictJson(bytes);
  if (!json.ok) return rejectBody(json.reason);
  const body = json.value;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return rejectBody('not_an_object');
  const parsed = webhookSchema.safeParse(body);
  if (!parsed.success) return { ok: false, errors: explain(body, parsed.error) };
  const { Id, ActionDate, Type, Status } = parsed.data;
  return {
    ok: true,
    webhook: {
      id: Id,
      type: Type === 'Token' ? 'device' : 'tunnel',
      status: Status === 'Connected' ? 'connected' : 'disconnected',
      actionDate: ActionDate,
    },
    extra: collectExtra(body),
  };
}

function rejectBody(problem: WebhookProblem): WebhookResult {
  return { ok: false, errors: [{ field: 'body', problem }] };
}

/** One error per documented field, in documented order, whatever else zod had to say. */
function explain(body: object, error: z.ZodError): WebhookError[] {
  const errors: WebhookError[] = [];
  for (const field of FIELDS) {
    const issue = error.issues.find((candidate) => candidate.path[0] === field);
    if (issue !== undefined) errors.push({ field, problem: problemOf(body, field, issue.code) });
  }
  return errors;
}

function problemOf(body: object, field: (typeof FIELDS)[number], code: z.core.$ZodIssue['code']): WebhookProblem {
  if (!Object.hasOwn(body, field)) return 'missing';
  const value: unknown = Reflect.get(body, field);
  if (typeof value !== 'string') return 'not_a_string';
  if (value === '') return 'empty';
  return code === 'too_big' ? 'too_long' : 'not_allowed';
}

function collectExtra(body: object): ExtraFields {
  const keys = Object.keys(body);
  if (keys.length === DOCUMENTED.size) return NO_EXTRA;
  return nameFields(keys.filter((key) => !DOCUMENTED.has(key)));
}
