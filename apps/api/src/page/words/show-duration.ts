const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time in the two units that matter: `42 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function showDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS)
    return `${Math.floor(ms / HOUR_MS)} h ${String(Math.floor((ms % HOUR_MS) / MINUTE_MS)).padStart(2, '0')} min`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
}
