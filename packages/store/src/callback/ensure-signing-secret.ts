import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Gives every service that has none a signing secret; of two that race, one stands. */
export async function ensureSigningSecrets(sql: Sql, make: (serviceId: number) => Buffer): Promise<void> {
  try {
    const rows = await sql<{ id: number }[]>`
      select s.id from service s where s.retired_at is null and not exists (select 1 from signing_secret k where k.service_id = s.id) order by s.id`;
    for (const { id } of rows) {
      await sql`insert into signing_secret (service_id, sealed_secret) values (${id}, ${make(id)}) on conflict do nothing`;
    }
  } catch (error) {
    throw toStoreError(error);
  }
}
