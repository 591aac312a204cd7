import type { Layer, Verdict } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { decodeCursor, numericId, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

/** A service that is not retired, without its gate: that is read where gates are. */
export interface ServiceRow {
  readonly name: string;
  readonly source: string;
  readonly group: string;
  /** Aliases of the device and the tunnel it is linked to. */
  readonly device: string | null;
  /** What Localtonet calls them, where it said so. */
  readonly deviceName: string | null;
  readonly tunnelName: string | null;
  readonly tunnel: string | null;
  readonly policy: string;
  readonly createdAt: Date;
  readonly lastVerification: {
    readonly id: string;
    readonly startedAt: string;
    readonly verdict: Verdict;
    readonly firstBroken: Layer | null;
    readonly overtaken: boolean;
  } | null;
}

export interface ServiceFilter {
  readonly source: string | null;
  /** Names of the services the reader may see; null means all. */
  readonly services: readonly string[] | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Services with their last verification, newest first. */
export async function listServices(sql: Sql, filter: ServiceFilter): Promise<Page<ServiceRow>> {
  const cursor = filter.cursor === null ? null : numericId(decodeCursor(filter.cursor));
  try {
    const rows = await sql<(ServiceRow & { cursorAt: string; id: string })[]>`
      select s.id::text as id, s.name, s.source_name as source, s.group_name as group, d.alias as device, t.alias as tunnel,
        d.name as device_name, t.name as tunnel_name,
        s.policy_name as policy, s.created_at, s.created_at::text as cursor_at,
        (select json_build_object('id', v.id, 'startedAt', v.started_at, 'verdict', v.verdict, 'firstBroken', v.first_broken,
            'overtaken', v.overtaken)
          from verification v where v.service_id = s.id order by v.started_at desc limit 1) as last_verification
      from service s left join subject d on d.id = s.device_id left join subject t on t.id = s.tunnel_id
      where s.retired_at is null
        ${filter.source === null ? sql`` : sql`and s.source_name = ${filter.source}`}
        ${filter.services === null ? sql`` : sql`and s.name = any(${[...filter.services]}::text[])`}
        ${cursor === null ? sql`` : sql`and (s.created_at, s.id) < (${cursor.at}::text::timestamptz, ${cursor.id}::int)`}
      order by s.created_at desc, s.id desc limit ${filter.limit + 1}`;
    return toPage(
      rows,
      filter.limit,
      (row) => row.id,
      ({ cursorAt: _, id: __, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}
