import { type GateWithHand, listGatesWithHand } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

/** `tidegate gate list`: every gate, and whose hand is on it. */
export async function listGates(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const gates = await listGatesWithHand(sql);
    if (flags.json) {
      say(JSON.stringify({ items: gates.map(presentGate) }));
      return;
    }
    for (const gate of gates) {
      say(`${gate.service.padEnd(24)}  ${gate.state.padEnd(9)}  ${gate.reason}  since ${gate.since.toISOString()}`);
      if (gate.hand !== null) say(`  ${describeHand(gate)}`);
    }
    if (gates.length === 0) say('No services: name some in the config.');
  });
}

function describeHand({ hand, handActor, handReason, handExpiresAt }: GateWithHand): string {
  const what = hand === 'open' ? 'FORCED OPEN' : 'HELD';
  return `${what} by ${handActor ?? 'somebody'} until ${handExpiresAt?.toISOString() ?? 'taken back'}: ${handReason ?? ''}`;
}

function presentGate({ hand, handActor, handReason, handExpiresAt, ...gate }: GateWithHand) {
  return {
    ...gate,
    hand: hand === null ? null : { kind: hand, actor: handActor, reason: handReason, expiresAt: handExpiresAt },
  };
}
