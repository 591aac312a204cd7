import type { Sql } from '../database/connect.ts';
import { PAGE, prunePages } from './prune-page.ts';

export interface PrunedCallbacks {
  /** Rows removed: their idempotency keys are forgotten. */
  readonly callbacks: number;
  /** Rows that lost their content and attempts, and still answer for their key. */
  readonly emptied: number;
}

/** A run may have ten thousand entries. */
const RUN_PAGE = 50;

/**
 * Ends what is kept of finished callbacks. Content and attempts go at `contentCutoff`; the row itself, which is the
 * idempotency record, once it was finished before both cutoffs. What waits for a person is not finished.
 */
export async function pruneCallbacks(sql: Sql, contentCutoff: Date, keyCutoff: Date): Promise<PrunedCallbacks> {
  const rowCutoff = contentCutoff < keyCutoff ? contentCutoff : keyCutoff;
  const callbacks = await prunePages(sql, async (tx) => {
    const ids = await tx<{ id: string }[]>`
      select id from callback where finished_at < ${rowCutoff} and state in ('delivered', 'failed', 'cancelled', 'expired')
      order by finished_at limit ${PAGE} for update skip locked`;
    const gone = ids.map(({ id }) => id);
    await tx`delete from attempt where callback_id = any(${gone}::text[])`;
    await tx`delete from review where callback_id = any(${gone}::text[])`;
    await tx`delete from callback where id = any(${gone}::text[])`;
    return gone.length;
  });
  const emptied = await prunePages(sql, async (tx) => {
    const ids = await tx<{ id: string }[]>`
      select id from callback where finished_at < ${contentCutoff} and state in ('delivered', 'failed', 'cancelled', 'expired')
        and sealed_url <> ''::bytea
      order by finished_at limit ${PAGE} for update skip locked`;
    const emptying = ids.map(({ id }) => id);
    await tx`delete from attempt where callback_id = any(${emptying}::text[])`;
    await tx`
      update callback set sealed_url = '', sealed_headers = '', sealed_body = null, sealed_idempotency_key = '',
        sealed_status = null
      where id = any(${emptying}::text[])`;
    return emptying.length;
  });
  // Its entries go with a run.
  await prunePages(sql, async (tx) => {
    const runs = await tx`
      delete from reconciliation where id in (
        select id from reconciliation where started_at < ${contentCutoff} order by started_at limit ${RUN_PAGE} for update skip locked)
      returning id`;
    return runs.length === RUN_PAGE ? PAGE : 0;
  });
  return { callbacks, emptied };
}
