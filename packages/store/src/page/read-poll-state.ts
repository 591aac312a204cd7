import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** How the poll of the Localtonet API goes. */
export interface PollState {
  /** Polls in a row that were not answered. */
  readonly failures: number;
  /** When the last answered one was begun; null before any. */
  readonly answeredAt: Date | null;
  readonly dueAt: Date;
}

/** Null where nobody ever polled. */
export async function readPollState(sql: Sql): Promise<PollState | null> {
  try {
    const [row] = await sql<PollState[]>`select failures, answered_at, due_at from poll`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
