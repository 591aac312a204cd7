import { Mark } from '../layout/mark.tsx';
import { Time } from '../layout/time.tsx';
import type { Mute } from './load-mutes.ts';

/** Says loudly that an incident is heard of by nobody. */
export function MuteLine({ mute }: { mute: Mute | undefined }) {
  if (mute === undefined) return null;
  const { silence, known } = mute;
  return (
    <p class="muted">
      <Mark kind="held" />
      <span>
        {known ? 'Pages muted' : 'Nobody was told: muted'} by {silence.actor} until <Time at={silence.expiresAt} />
      </span>
    </p>
  );
}
