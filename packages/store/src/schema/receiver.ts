import { sql } from 'drizzle-orm';
import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** A registered receiver process. While one is silent it may hold a Disconnected nobody else knows of, so gates are held. */
export const receiver = pgTable(
  'receiver',
  {
    id: text('id').primaryKey(),
    startedAt: instant('started_at').notNull(),
    heartbeatAt: instant('heartbeat_at').notNull(),
    retiredAt: instant('retired_at'),
    retiredBy: text('retired_by'),
  },
  // Every gate answer reads those that are waited for. On the id, since a beat that moves no index entry is cheap.
  (table) => [index('receiver_waited_for').on(table.id).where(sql`retired_at is null`)],
);
