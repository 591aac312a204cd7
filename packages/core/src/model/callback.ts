/** The life of an outbound operation handed over by an agent. */
export type CallbackState =
  | 'queued'
  | 'held'
  | 'sending'
  | 'delivered'
  | 'retrying'
  | 'ambiguous'
  | 'needs_review'
  | 'failed'
  | 'cancelled'
  | 'expired';

/** How far one attempt got before it ended: decides whether a repeat can be harmful. */
export type AttemptPhase = 'not_sent' | 'maybe_received' | 'answered';

/** Whether the destination promises that a repeat under the same key is harmless. */
export type RepeatContract = 'deduplicated' | 'forbidden';
