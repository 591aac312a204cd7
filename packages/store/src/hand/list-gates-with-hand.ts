import type { GateReason, GateState, Hand } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A gate with what a person decided about it, if anything. */
export interface GateWithHand {
  readonly service: string;
  readonly state: GateState;
  readonly reason: GateReason;
  readonly generation: number;
  readonly since: Date;
  readonly hand: Hand | null;
  readonly handActor: string | null;
  readonly handReason: string | null;
  readonly handExpiresAt: Date | null;
}

/** Every gate, by service, with the hand that is on it: a forced opening must be seen by whoever looks. */
export async function listGatesWithHand(sql: Sql): Promise<GateWithHand[]> {
  try {
    return await sql<GateWithHand[]>`
      select s.name as service, g.state, g.reason, g.generation, g.since, g.hand, g.hand_actor, g.hand_reason, g.hand_expires_at
      from gate g join service s on s.id = g.service_id where s.retired_at is null order by s.name`;
  } catch (error) {
    throw toStoreError(error);
  }
}
