/** How often a line is written at most. */
const EVERY_MS = 250;

/**
 * Writes a line that counts: at once when the last one is some time ago, else one line for all that came meanwhile. A quiet
 * receiver logs each commit, a busy one does not pay for a line per commit.
 */
export function createCountedLine(write: (count: number) => void): (count: number) => void {
  let waiting = 0;
  let timer: NodeJS.Timeout | null = null;
  const pause = () => {
    timer = null;
    if (waiting === 0) return;
    write(waiting);
    waiting = 0;
    timer = setTimeout(pause, EVERY_MS);
  };
  return (count) => {
    waiting += count;
    if (timer === null) pause();
  };
}
