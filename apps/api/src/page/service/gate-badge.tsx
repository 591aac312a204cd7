import type { Gate } from '@tidegate/client';
import type { GateWithHand } from '@tidegate/store';
import { Badge } from '../layout/mark.tsx';
import { GATE_LABELS } from '../words/labels.ts';

/** What a gate does: one that a person forced open is not told as one that was verified. */
export function GateBadge({ gate, hand }: { gate: Gate; hand: GateWithHand | undefined }) {
  if (hand?.hand === 'open') return <Badge kind="fail">Forced open</Badge>;
  if (gate.decision === 'allowed') return <Badge kind="pass">{GATE_LABELS[gate.state]}</Badge>;
  return gate.state === 'verifying' ? <Badge kind="busy">Held, verifying</Badge> : <Badge kind="held">Held</Badge>;
}
