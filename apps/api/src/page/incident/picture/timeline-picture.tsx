import { Time } from '../../layout/time.tsx';
import type { LoadedIncident } from '../load-incident.ts';
import { type Lane, listLanes, spanOf, tellLeftOut } from './list-lanes.ts';

const WIDTH = 1000;
const HEIGHT = 24;
const TICK = 9;

const KIND_WORDS: Readonly<Record<string, string>> = {
  connected: 'connected',
  disconnected: 'disconnected',
  held: 'held',
  verified: 'open',
  forced: 'forced open',
  unknown: 'not known',
};

/** Connected, disconnected, held and verified over time, one line each. Every line scales by itself, so a phone shows it too. */
export function TimelinePicture({ loaded }: { loaded: LoadedIncident }) {
  const span = spanOf(loaded);
  const lanes = listLanes(loaded, span);
  const leftOut = tellLeftOut(loaded);
  if (lanes.length === 0) return null;
  const { resolvedAt } = loaded.incident;
  return (
    <section id="picture" data-live="" aria-labelledby="picture-title">
      <h2 id="picture-title">Over time</h2>
      <p class="legend">
        <Key kind="connected" says="connected, or open" />
        <Key kind="disconnected" says="disconnected, or forced open" />
        <Key kind="held" says="held" />
        <Key kind="unknown" says="not known" />
        <Key kind="passed" says="check passed" />
        <Key kind="failed" says="check failed" />
      </p>
      <div class="lanes">
        {lanes.map((lane) => (
          <LaneRow lane={lane} />
        ))}
        <p class="axis">
          <Time at={new Date(span.fromMs)} />
          {resolvedAt === null ? <span>now</span> : <Time at={resolvedAt} />}
        </p>
      </div>
      {leftOut === null ? null : <p class="meta">{leftOut}</p>}
    </section>
  );
}

function Key({ kind, says }: { kind: string; says: string }) {
  return (
    <span>
      <svg class="swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        {kind === 'passed' || kind === 'failed' ? (
          <rect class={`check-${kind}`} x="5" y="0" width="6" height={kind === 'passed' ? 8 : 16} />
        ) : (
          <rect class={`lane-${kind}`} x="0" y={topOf(kind) * 16} width="16" height={heightOf(kind) * 16} />
        )}
      </svg>
      {says}
    </span>
  );
}

function LaneRow({ lane: { label, stretches, checks } }: { lane: Lane }) {
  const said = stretches
    .map(({ kind, from, to }) => `${KIND_WORDS[kind]} ${percent(from)} to ${percent(to)}`)
    .join(', ');
  const failed = checks.filter(({ passed }) => !passed).length;
  const checked = checks.length === 0 ? '' : `; ${checks.length} checks, ${failed} of them failed`;
  return (
    <div class="lane">
      <span class="lane-label">{label}</span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}, in shares of the time shown: ${said}${checked}`}
      >
        {stretches.map(({ kind, from, to }) => (
          <rect
            class={`lane-${kind}`}
            x={round(from * WIDTH)}
            y={topOf(kind) * HEIGHT}
            width={Math.max(2, round((to - from) * WIDTH))}
            height={heightOf(kind) * HEIGHT}
          />
        ))}
        {checks.map(({ at, passed }) => (
          <rect
            class={passed ? 'check-passed' : 'check-failed'}
            x={round(at * (WIDTH - TICK))}
            y="0"
            width={TICK}
            height={passed ? HEIGHT / 2 : HEIGHT}
          />
        ))}
      </svg>
    </div>
  );
}

/** What is well is a low bar, what is not a high one, so that the colour does not say it alone. */
function heightOf(kind: string): number {
  if (kind === 'unknown') return 0.12;
  return kind === 'connected' || kind === 'verified' ? 0.35 : 0.85;
}

function topOf(kind: string): number {
  return 1 - heightOf(kind);
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
