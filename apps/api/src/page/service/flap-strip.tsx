import { STRIP_CELLS, type StripCell } from '@tidegate/store';
import { count } from '../words/count.ts';

const CELL = 10;
const HEIGHT = 24;

/** The last 24 hours in half hours: a high bar for an incident, a low one for drops that healed, a dot for peace. */
export function FlapStrip({ service, strip }: { service: string; strip: readonly StripCell[] }) {
  const byCell = new Map(strip.map((one) => [one.cell, one]));
  const drops = strip.reduce((sum, { disconnects }) => sum + disconnects, 0);
  const down = strip.filter((one) => one.down).length;
  const said = `${service}, last 24 hours: ${count(drops, 'disconnect')}, an incident in ${count(down, 'half hour')}`;
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${STRIP_CELLS * CELL} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said}
    >
      {Array.from({ length: STRIP_CELLS }, (_, cell) => {
        const found = byCell.get(cell);
        const kind = found === undefined ? 'calm' : found.down ? 'down' : 'drop';
        const height = kind === 'calm' ? 3 : kind === 'down' ? HEIGHT : 12;
        return <rect class={`strip-${kind}`} x={cell * CELL} y={HEIGHT - height} width={CELL - 2} height={height} />;
      })}
    </svg>
  );
}
