import type { Layer, LayerResult } from '@tidegate/core';
import { Mark } from '../layout/mark.tsx';
import { CHAIN, LAYER_LABELS, OUTCOME_LABELS } from '../words/labels.ts';

/** The six layers in the order in which one stands on another, drawn as a chain; the link that broke first stands out. */
export function LayerChain({ layers, firstBroken }: { layers: readonly LayerResult[]; firstBroken: Layer | null }) {
  const byLayer = new Map(layers.map((one) => [one.layer, one]));
  return (
    <ol class="chain">
      {CHAIN.map((layer) => {
        const found = byLayer.get(layer);
        const outcome = found?.outcome ?? 'skipped';
        const first = layer === firstBroken ? ' link-first' : '';
        return (
          <li class={`link link-${outcome}${first}`}>
            <Mark kind={outcome} />
            <span class="link-name">{LAYER_LABELS[layer]}</span>
            <span class="link-outcome">
              {[OUTCOME_LABELS[outcome], showLatency(found?.latencyMs)].filter((text) => text !== '').join(', ')}
            </span>
            {outcome === 'fail' || outcome === 'unknown' ? <span class="link-detail">{found?.detail}</span> : null}
          </li>
        );
      })}
    </ol>
  );
}

/** Empty when nothing was sent. */
export function showLatency(latencyMs: number | null | undefined): string {
  return latencyMs === null || latencyMs === undefined ? '' : `${Math.round(latencyMs)} ms`;
}
