import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { makeSourceGatesDue } from '../gate/recheck-source-gates.ts';

/** A body of an authenticated source that was not understood; nothing in it but `sealedBody` was received. */
export interface QuarantinedBody {
  readonly id: string;
  readonly sourceId: number;
  /** Field and fixed code of the first problem. */
  readonly field: string;
  readonly problem: string;
  /** Of the body before it was sealed. */
  readonly bytes: number;
  readonly sealedBody: Buffer;
}

export interface QuarantineCaps {
  /** The newest of each source stay. */
  readonly rowsPerSource: number;
  /** Of bodies, all sources together; the newest stay. */
  readonly totalBytes: number;
}

/**
 * Keeps a body, removes what is beyond the caps, and, if asked to, makes the gates of the source's group due for a
 * verification: an event was not understood, so what they stand on may no longer be so. No gate is opened or shut.
 * A body that is kept already, sent again because the answer was lost, is kept once.
 * What other transactions are writing meanwhile is not counted, and is by the next body.
 * @returns when verifications are due now
 */
export async function quarantineBody(
  sql: Sql,
  body: QuarantinedBody,
  caps: QuarantineCaps,
  verifyGates: boolean,
): Promise<Date[]> {
  return inTransaction(sql, async (tx) => {
    await tx`
      insert into quarantine (id, source_id, received_at, field, problem, bytes, sealed_body)
      values (${body.id}, ${body.sourceId}, clock_timestamp(), ${body.field}, ${body.problem}, ${body.bytes}, ${body.sealedBody})
      on conflict (id) do nothing`;
    await trim(tx, body.sourceId, caps);
    return verifyGates ? makeSourceGatesDue(tx, body.sourceId) : [];
  });
}

async function trim(tx: Transaction, sourceId: number, { rowsPerSource, totalBytes }: QuarantineCaps): Promise<void> {
  await tx`
    delete from quarantine where id in (
      select q.id from quarantine q
      where q.id in (select id from quarantine where source_id = ${sourceId} order by received_at desc, id desc offset ${rowsPerSource})
      or q.id in (
        select id from (select id, sum(bytes) over (order by received_at desc, id desc) as kept from quarantine) x
        where x.kept > ${totalBytes})
      for update skip locked)`;
}
