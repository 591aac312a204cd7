import type { LiveSilence, SafeName } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';
import type { SilenceRow } from './silence-row.ts';

export interface SilenceFilter {
  /** Only those that mute now, or all of them. */
  readonly live: boolean;
  /** Names of the services the reader may see; null means all. A limited reader sees the silences of those only. */
  readonly services: readonly string[] | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Silences, newest first. */
export async function listSilences(sql: Sql, filter: SilenceFilter): Promise<Page<SilenceRow>> {
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  try {
    const rows = await sql<(SilenceRow & { cursorAt: string })[]>`
      select ${silenceColumns(sql)}, created_at::text as cursor_at from silence
      where true
        ${filter.live ? sql`and ${isLive(sql)}` : sql``}
        ${filter.services === null ? sql`` : sql`and scope = 'service' and target = any(${[...filter.services]}::text[])`}
        ${cursor === null ? sql`` : sql`and (created_at, id) < (${cursor.at}::text::timestamptz, ${cursor.id})`}
      order by created_at desc, id desc limit ${filter.limit + 1}`;
    return toPage(
      rows,
      filter.limit,
      (row) => row.id,
      ({ cursorAt: _, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}

/** A silence that mutes now, with who did so and until when. */
export interface MutingSilence extends LiveSilence {
  readonly actor: SafeName;
  readonly expiresAt: Date;
}

/** Every silence that mutes now, for `findSilence`. */
export async function readLiveSilences(sql: Sql | Transaction): Promise<MutingSilence[]> {
  try {
    return await sql<
      MutingSilence[]
    >`select id, scope, target, actor, expires_at from silence where ${isLive(sql)} order by id`;
  } catch (error) {
    throw toStoreError(error);
  }
}

export function silenceColumns(sql: Sql | Transaction) {
  return sql`id, scope, target, (select s.name from subject s where scope = 'group' and s.alias = target) as target_name,
    actor, reason, created_at, expires_at, ended_at, ${isLive(sql)} as live`;
}

function isLive(sql: Sql | Transaction) {
  return sql`(ended_at is null and expires_at > clock_timestamp())`;
}
