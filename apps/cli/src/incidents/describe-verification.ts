import { LAYERS, VERDICT_WORDS } from '@tidegate/core';
import { screenSize } from '@tidegate/runtime';
import type { VerificationView } from '@tidegate/store';
import { formatTable } from '../output/format-table.ts';
import { LAYER_TONES } from '../output/list-tones.ts';
import { hasColour } from '../output/paint.ts';

/** What one verification found, layer by layer. */
export function describeVerification(verification: VerificationView): string[] {
  const { service, startedAt, verdict, overtaken } = verification;
  const layers = verification.layers.toSorted((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
  const of = service === null ? '' : ` of ${service}`;
  const rows = layers.map(({ layer, outcome, detail }) => ({
    key: layer,
    cells: [layer, { text: outcome, tone: LAYER_TONES[outcome] }, detail],
  }));
  return [
    '',
    `last verification${of}, begun ${startedAt.toISOString()}: ${VERDICT_WORDS[verdict]}${overtaken ? ' (overtaken)' : ''}`,
    ...formatTable(['LAYER', 'OUTCOME', 'DETAIL'], rows, hasColour(), screenSize()?.columns),
  ];
}
