import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** A registered receiver process. While one is silent it may hold a Disconnected nobody else knows of, so gates are held. */
export const receiver = pgTable('receiver', {
  id: text('id').primaryKey(),
  startedAt: instant('started_at').notNull(),
  heartbeatAt: instant('heartbeat_at').notNull(),
  retiredAt: instant('retired_at'),
  retiredBy: text('retired_by'),
});
