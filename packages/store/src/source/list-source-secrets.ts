import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface LiveSource {
  readonly id: number;
  readonly name: string;
  readonly group: string;
  readonly timeZone: string;
  readonly lookupHash: Buffer;
}

/** Every live path secret, hashed, with the source it stands for. */
export async function listSourceSecrets(sql: Sql): Promise<LiveSource[]> {
  try {
    return await sql<LiveSource[]>`
      select s.id, s.name, s.group_name as group, s.time_zone, k.lookup_hash
      from source_secret k join source s on s.id = k.source_id
      where k.retired_at is null and s.retired_at is null`;
  } catch (error) {
    throw toStoreError(error);
  }
}
