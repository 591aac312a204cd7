import { type GateWithHand, listGatesWithHand, listReceivers, type Sql } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import type { TableRow } from '../output/format-table.ts';
import { GATE_TONES } from '../output/list-tones.ts';
import { type List, type ListFlags, showList } from '../output/show-list.ts';
import { silentAfterMs } from '../receivers/silent-after-ms.ts';

/** `tidegate gate list`: every gate, whose hand is on it, and the receivers whose silence holds them all. */
export async function listGates(flags: ListFlags): Promise<void> {
  await withStore(async (sql, _keyring, env) => {
    const silenceMs = silentAfterMs(env);
    await showList(flags, () => look(sql, silenceMs));
  });
}

async function look(sql: Sql, silenceMs: number): Promise<List> {
  const receivers = await listReceivers(sql, silenceMs);
  const silent = receivers.filter((receiver) => receiver.silent).map(({ id }) => id);
  const gates = await listGatesWithHand(sql);
  return {
    head: ['SERVICE', 'STATE', 'REASON', 'SINCE'],
    rows: gates.map(toRow),
    before: silent.map(
      (id) => `Every gate that is not forced open is held: receiver ${id} is silent (tidegate receivers list).`,
    ),
    after: gates.length === 0 ? ['No services: name some in the config.'] : [],
    json: { items: gates.map(presentGate), silentReceivers: silent },
  };
}

function toRow(gate: GateWithHand): TableRow {
  const { service, state, reason, since } = gate;
  return {
    key: service,
    cells: [service, { text: state, tone: GATE_TONES[state] }, reason, since.toISOString()],
    below: gate.hand === null ? [] : [describeHand(gate)],
  };
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
