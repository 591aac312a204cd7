import { approvalSchema, type Scope } from '@tidegate/client';
import type { CallbackCommand, CallbackOrder } from '@tidegate/store';
import type { Context, Hono } from 'hono';
import type { ApiContext, ApiEnv } from '../../api-context.ts';
import { readDuration, readWords } from '../../body/read-words.ts';
import { carryOutOrder } from '../../review/carry-out-order.ts';
import { callbackOf, LONGEST_REASON } from '../../review/give-order.ts';
import { goTo } from '../layout/answer-page.tsx';
import { answerError, NOTHING_HERE } from '../layout/error-page.tsx';
import type { NoticeCode } from '../layout/notice.tsx';
import { SECTIONS } from '../layout/sections.ts';
import { readForm } from '../session/read-form.ts';
import type { Sessions } from '../session/sessions.ts';
import { signedIn } from '../session/signed-in.ts';

interface CallbackForm {
  readonly scopes: readonly Scope[];
  readonly did: NoticeCode;
}

const REVIEW = ['callbacks:review'] as const;
const FORMS: Readonly<Record<CallbackCommand, CallbackForm>> = {
  approve: { scopes: REVIEW, did: 'approved' },
  deny: { scopes: REVIEW, did: 'denied' },
  complete: { scopes: REVIEW, did: 'completed' },
  redrive: { scopes: REVIEW, did: 'redriven' },
  cancel: { scopes: SECTIONS.callbacks.scopes, did: 'cancelled' },
};

/** `POST /callbacks/{id}/approve`, `…/deny`, `…/complete`, `…/redrive`, `…/cancel`: what the API does, for a form. */
export function addCallbackForms(app: Hono<ApiEnv>, context: ApiContext, sessions: Sessions): void {
  for (const command of Object.keys(FORMS) as CallbackCommand[]) {
    const { scopes } = FORMS[command];
    app.post(`/callbacks/:id/${command}`, signedIn(sessions, { ...SECTIONS.callbacks, scopes }), async (c) => {
      const id = callbackOf(c);
      if (id === null) return answerError(c, 404, NOTHING_HERE);
      const form = await readForm(c.env.incoming);
      const did = form === null ? 'no_reason' : await order(context, c, { id, command, form });
      return did === 'not_found' ? answerError(c, 404, NOTHING_HERE) : goTo(c, `/callbacks/${id}?did=${did}`);
    });
  }
}

interface Posted {
  readonly id: string;
  readonly command: CallbackCommand;
  readonly form: URLSearchParams;
}

async function order(
  context: ApiContext,
  c: Context<ApiEnv>,
  { id, command, form }: Posted,
): Promise<NoticeCode | 'not_found'> {
  const reason = readWords(form.get('reason') ?? '', LONGEST_REASON);
  if (reason === null) return 'no_reason';
  const approval = command === 'approve' ? readApproval(form) : null;
  if (typeof approval === 'string') return approval;
  const outcome = await carryOutOrder(context, c, id, { command, reason, approval });
  return outcome.kind === 'moved' ? FORMS[command].did : outcome.kind;
}

/** What is approved is what was on the page, by its hash. */
function readApproval(form: URLSearchParams): CallbackOrder['approval'] | NoticeCode {
  const payloadHash = approvalSchema.shape.payloadHash.safeParse(form.get('payloadHash'));
  const forMs = readDuration(form.get('for') ?? '');
  if (!payloadHash.success || forMs === null) return 'malformed';
  if (form.get('sure') !== 'yes') return 'may_repeat';
  return { payloadHash: Buffer.from(payloadHash.data, 'hex'), forMs };
}
