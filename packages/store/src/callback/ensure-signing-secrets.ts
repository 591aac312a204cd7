import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface SigningSecrets {
  /** Seals the secret the config gives for a service; null when it gives none. */
  readonly given: (service: string, serviceId: number) => Buffer | null;
  /** Makes and seals a new one. */
  readonly made: (serviceId: number) => Buffer;
}

/** Gives every service its signing secret: the configured one, which replaces what was there, or one made once. */
export async function ensureSigningSecrets(sql: Sql, secrets: SigningSecrets): Promise<void> {
  try {
    const rows = await sql<{ id: number; name: string; present: boolean }[]>`
      select s.id, s.name, k.service_id is not null as present
      from service s left join signing_secret k on k.service_id = s.id where s.retired_at is null order by s.id`;
    for (const { id, name, present } of rows) {
      const given = secrets.given(name, id);
      if (given !== null) {
        await sql`insert into signing_secret (service_id, sealed_secret) values (${id}, ${given})
                  on conflict (service_id) do update set sealed_secret = excluded.sealed_secret`;
      } else if (!present) {
        await sql`insert into signing_secret (service_id, sealed_secret) values (${id}, ${secrets.made(id)}) on conflict do nothing`;
      }
    }
  } catch (error) {
    throw toStoreError(error);
  }
}
