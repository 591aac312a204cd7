import type { AuditHead, ChainedAuditRow } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { AUDIT_TIME } from './append-audit.ts';

/** Rows ascending, after a number: what a check of the chain reads page by page. */
export async function readAuditAfter(sql: Sql, seq: number, limit: number): Promise<ChainedAuditRow[]> {
  try {
    return await sql<ChainedAuditRow[]>`
      select ${auditColumns(sql)} from audit where seq > ${seq} order by seq limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The newest rows before a number (null: from the newest on), newest first. */
export async function listAudit(sql: Sql, before: number | null, limit: number): Promise<ChainedAuditRow[]> {
  try {
    return await sql<ChainedAuditRow[]>`
      select ${auditColumns(sql)} from audit where ${before}::bigint is null or seq < ${before} order by seq desc limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The newest row of the trail; null while it is empty. */
export async function readAuditHead(sql: Sql): Promise<AuditHead | null> {
  try {
    const [row] = await sql<AuditHead[]>`select seq, mac from audit order by seq desc limit 1`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}

function auditColumns(sql: Sql) {
  return sql`seq, to_char(at at time zone 'UTC', ${AUDIT_TIME}) as at, actor, action, target, reason, facts, mac`;
}
