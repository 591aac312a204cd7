type Tone = 'good' | 'bad';

/** What a form led to. Only these are ever shown, whatever the query says. */
const NOTICES = {
  acknowledged: ['good', 'It is yours now: others see that somebody is on it.'],
  acknowledged_before: ['bad', 'Somebody acknowledged it before you.'],
  noted: ['good', 'Your note is on the timeline.'],
  resolved: ['good', 'It is resolved, by the verification that proves it.'],
  overridden: ['good', 'It is ended by your word. When the time is over it is looked at again.'],
  already_resolved: ['bad', 'It is resolved already.'],
  still_disconnected: ['bad', 'It is still disconnected. To end it all the same, tick the box and give a reason.'],
  not_verified: [
    'bad',
    'No verification has proved that it is over. To end it all the same, tick the box and give a reason.',
  ],
  not_all_services: ['bad', 'It concerns services that your API key may not act for. Nothing was done.'],
  silenced: ['good', 'Pages are muted. Gates and incidents go on as ever.'],
  unmuted: ['good', 'Nothing is muted by that any more: pages go out again.'],
  unknown_target: ['bad', 'There is nothing of this name any more, so nothing was muted.'],
  held: ['good', 'The gate is held by hand: nothing opens it until you release it or the time is over.'],
  forced_open: ['good', 'The gate is forced open: callbacks go out although nothing was verified.'],
  released: ['good', 'Your order is taken back. The gate stays held until a verification has passed.'],
  other_order: ['bad', 'Nothing was done: somebody has given another order since the page was made.'],
  no_hand: ['bad', 'Nobody holds this gate or forces it open.'],
  not_sure: ['bad', 'Nothing was done: tick the box to say that you know what forcing a gate open means.'],
  approved: ['good', 'It is sent once more as soon as its gate is open, until the approval ends.'],
  denied: ['good', 'It has failed by your word: it is not sent again.'],
  completed: ['good', 'It counts as delivered by your word: nothing is sent.'],
  redriven: ['good', 'It is sent again once its gate allows it. What may have been received asks for a review first.'],
  cancelled: ['good', 'It is cancelled: nothing more is sent.'],
  wrong_state: ['bad', 'Nothing was done: its state has changed, and this cannot be ordered in it.'],
  payload_differs: ['bad', 'Nothing was done: what would be sent is not what was approved.'],
  deadline_passed: ['bad', 'Nothing was done: its deadline has passed, so it may not be sent any more.'],
  content_gone: ['bad', 'Nothing was done: what would be sent is not kept any more.'],
  may_repeat: ['bad', 'Nothing was done: tick the box to say that you know that it may have happened already.'],
  no_note: ['bad', 'Nothing was done: the note is empty.'],
  no_reason: ['bad', 'Nothing was done: a reason is needed.'],
  malformed: ['bad', 'Nothing was done: a reason and a time are needed.'],
  not_allowed: ['bad', 'Nothing was done: your API key does not allow this.'],
} as const satisfies Record<string, readonly [Tone, string]>;

export type NoticeCode = keyof typeof NOTICES;

/** Says what the form before led to, if the query names it. */
export function Notice({ did }: { did: string | undefined }) {
  if (did === undefined || !Object.hasOwn(NOTICES, did)) return null;
  const [tone, text] = NOTICES[did as NoticeCode];
  return (
    <p id="notice" class={tone === 'bad' ? 'notice notice-bad' : 'notice'} role={tone === 'bad' ? 'alert' : 'status'}>
      {text}
    </p>
  );
}
