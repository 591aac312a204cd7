import { type GateWithHand, listGatesWithHand, listReceivers } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';
import { silentAfterMs } from '../receivers/silent-after-ms.ts';

/** `tidegate gate list`: every gate, whose hand is on it, and the receivers whose silence holds them all. */
export async function listGates(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql, _keyring, env) => {
    const receivers = await listReceivers(sql, silentAfterMs(env));
    const silent = receivers.filter((receiver) => receiver.silent).map(({ id }) => id);
    const gates = await listGatesWithHand(sql);
    if (flags.json) {
      say(JSON.stringify({ items: gates.map(presentGate), silentReceivers: silent }));
      return;
    }
    for (const id of silent)
      say(`Every gate that is not forced open is held: receiver ${id} is silent (tidegate receivers list).`);
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
