import type { CallbackState, GateState, IncidentState, LayerOutcome, Verdict } from '@tidegate/core';
import type { Tone } from './paint.ts';

export const GATE_TONES: Readonly<Record<GateState, Tone>> = {
  open: 'good',
  releasing: 'good',
  verifying: 'waiting',
  held: 'bad',
};

export const INCIDENT_TONES: Readonly<Record<IncidentState, Tone>> = {
  open: 'bad',
  acknowledged: 'waiting',
  resolved: 'good',
};

export const CALLBACK_TONES: Readonly<Record<CallbackState, Tone>> = {
  queued: 'waiting',
  held: 'waiting',
  sending: 'waiting',
  retrying: 'waiting',
  ambiguous: 'waiting',
  needs_review: 'bad',
  failed: 'bad',
  delivered: 'good',
  cancelled: 'quiet',
  expired: 'quiet',
};

export const LAYER_TONES: Readonly<Record<LayerOutcome, Tone>> = {
  pass: 'good',
  unknown: 'waiting',
  fail: 'bad',
  skipped: 'quiet',
};

export function verdictTone(verdict: Verdict): Tone {
  if (verdict === 'healthy') return 'good';
  return verdict === 'inconclusive' ? 'waiting' : 'bad';
}
