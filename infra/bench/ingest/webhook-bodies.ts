/** The one tunnel that a service depends on: one request in `SUBJECTS` moves its gate. */
export const LINKED_TUNNEL = '700001';

const DEVICES = 60;
const TUNNELS = 240;
const SUBJECTS = DEVICES + TUNNELS;

const TICKS_PER_SECOND = 10_000_000;

/**
 * Makes bodies as Localtonet sends them: a few hundred subjects in turn, each alternating between its two states, no two
 * bodies alike (dates 100 ns apart from `startMs` on).
 */
export function createWebhookBodies(startMs: number): () => string {
  const subjects = Array.from({ length: SUBJECTS }, (_, index) =>
    index < DEVICES
      ? { type: 'Token', id: `bench-token-${String(index).padStart(24, '0')}` }
      : { type: 'Tunnel', id: String(Number(LINKED_TUNNEL) + index - DEVICES) },
  );
  let made = 0;
  let second = '';
  return () => {
    const tick = made % TICKS_PER_SECOND;
    if (tick === 0) second = new Date(startMs + (made / TICKS_PER_SECOND) * 1000).toISOString().slice(0, 19);
    const { type, id } = subjects[made % SUBJECTS] ?? { type: 'Tunnel', id: LINKED_TUNNEL };
    const status = Math.floor(made / SUBJECTS) % 2 === 0 ? 'Disconnected' : 'Connected';
    made += 1;
    return `{"Id":"${id}","ActionDate":"${second}.${String(tick).padStart(7, '0')}Z","Type":"${type}","Status":"${status}"}`;
  };
}
