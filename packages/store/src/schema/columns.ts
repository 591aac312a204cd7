import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Raw bytes; postgres.js hands them over as a Buffer. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A point in time. Every time Tidegate compares comes from the one clock of Postgres. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
