import { STRIP_CELLS, type StripCell } from '@tidegate/store';
import { count } from '../words/count.ts';

const CELL = 10;
const HEIGHT = 24;
const HEIGHTS = { calm: 3, drop: 12, down: HEIGHT } as const;
const KINDS = ['calm', 'drop', 'down'] as const;

/** The last 24 hours in half hours: a high bar for an incident, a low one for drops that healed, a dot for peace. */
export function FlapStrip({ service, strip }: { service: string; strip: readonly StripCell[] }) {
  const byCell = new Map(strip.map((one) => [one.cell, one]));
  const drops = strip.reduce((sum, { disconnects }) => sum + disconnects, 0);
  const down = strip.filter((one) => one.down).length;
  const cells = Array.from({ length: STRIP_CELLS }, (_, cell) => {
    const found = byCell.get(cell);
    return { cell, kind: found === undefined ? 'calm' : found.down ? 'down' : 'drop' };
  });
  const said = `${service}, last 24 hours: ${count(drops, 'disconnect')}, an incident in ${count(down, 'half hour')}`;
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${STRIP_CELLS * CELL} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said}
    >
      {KINDS.map((kind) => {
        const bars = cells.filter((one) => one.kind === kind).map(({ cell }) => drawBar(cell, HEIGHTS[kind]));
        return bars.length === 0 ? null : <path class={`strip-${kind}`} d={bars.join('')} />;
      })}
    </svg>
  );
}

/** All bars of a kind are one path: as elements of their own they would be most of the page. */
function drawBar(cell: number, height: number): string {
  return `M${cell * CELL} ${HEIGHT - height}h${CELL - 2}v${height}h${2 - CELL}z`;
}
