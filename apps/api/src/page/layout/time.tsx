import { showDuration } from '../words/show-duration.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A point in time in UTC; the script shows it in the viewer's zone and leaves UTC to the title. */
export function Time({ at, precise = false }: { at: Date; precise?: boolean }) {
  const iso = at.toISOString();
  const clock = iso.slice(11, precise ? 19 : 16);
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
  return (
    <time
      datetime={iso}
      title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}
      data-precise={precise ? 'yes' : undefined}
    >
      {day} {clock} UTC
    </time>
  );
}

/** How long ago something began, as of when the page was made; the script goes on counting. */
export function Since({ at, now }: { at: Date; now: Date }) {
  return <span data-since={at.toISOString()}>{showDuration(now.getTime() - at.getTime())}</span>;
}
