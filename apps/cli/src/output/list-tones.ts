import type { GateState, IncidentState, Verdict } from '@tidegate/core';
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

export function verdictTone(verdict: Verdict): Tone {
  if (verdict === 'healthy') return 'good';
  return verdict === 'inconclusive' ? 'waiting' : 'bad';
}
