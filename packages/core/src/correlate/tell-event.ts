import type { GateReason } from '../model/gate.ts';
import type { SafeName } from '../model/safe-name.ts';
import { describeEvent } from './describe-event.ts';

/** An event of the numbered log, as far as its sentence needs it. */
export interface ToldEvent {
  readonly event: string;
  readonly service: string | null;
  readonly reason: string | null;
  /** Whose word it is, and the words, as they were made safe before they were stored. */
  readonly actor: SafeName | null;
  readonly words: SafeName | null;
  /** The timeline's sentence, where there is one. */
  readonly why: string | null;
}

const NOBODY = '' as SafeName;

/** The sentence of an event: the timeline's, or one made of what a gate or a callback told of itself. Never anything received. */
export function tellEvent({ event, service, reason, actor, words, why }: ToldEvent): string {
  if (why !== null) return why;
  const about = service ?? 'a service';
  switch (event) {
    case 'gate.held':
      return describeEvent({ event, service: about, reason: reason as GateReason });
    case 'gate.opened':
      return describeEvent({ event, service: about });
    case 'gate.held_by_hand':
    case 'gate.forced_open':
      return describeEvent({ event, service: about, by: actor ?? NOBODY, reason: words ?? NOBODY });
    case 'callback.needs_review':
      return describeEvent({ event: 'callbacks.need_review', service: about, waiting: 1 });
    case 'callback.reviewed':
      return `What becomes of a callback of ${about} is decided.`;
    default:
      return `Something happened to ${about}.`;
  }
}
