import type { AuditHead } from '@tidegate/core';
import type { Log } from '@tidegate/runtime';
import { readAuditHead, type Sql } from '@tidegate/store';

/** Writes a head of the audit trail to the log, where whoever can change the database cannot change it. */
function logHead(log: Log, { seq, mac }: AuditHead): void {
  log.info('audit.head', { seq, mac: `mac_${Buffer.from(mac).toString('hex')}` });
}

/**
 * Makes a function that logs the head whenever it has moved: what the command line appends has no log of its own.
 * Of several rows that were appended at once, the last one vouches for all.
 */
export function createHeadExporter(sql: Sql, log: Log): () => Promise<void> {
  let logged = 0;
  return async () => {
    const head = await readAuditHead(sql);
    if (head === null || head.seq === logged) return;
    logHead(log, head);
    logged = head.seq;
  };
}
