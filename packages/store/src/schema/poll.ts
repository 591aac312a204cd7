import { sql } from 'drizzle-orm';
import { bigint, boolean, check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** One row: when API v2 is asked next, and by whom. Its lease is what makes one poller of any number of workers. */
export const poll = pgTable(
  'poll',
  {
    only: boolean('only').primaryKey().default(true),
    dueAt: instant('due_at').notNull().defaultNow(),
    /** Sooner, because somebody waits for an answer: never before `allowedAt`, though. */
    wantedAt: instant('wanted_at'),
    /** What a failed answer, or the pace of polls, asked us to wait for. */
    allowedAt: instant('allowed_at').notNull().defaultNow(),
    leaseUntil: instant('lease_until'),
    run: text('run'),
    failures: integer('failures').notNull().default(0),
    /** When the last answered poll was begun. */
    answeredAt: instant('answered_at'),
    /** The newest token without a name when API v2 was last asked: a newer one is a reason to ask again. */
    newestUnlinkedId: bigint('newest_unlinked_id', { mode: 'number' }),
  },
  () => [check('poll_only', sql`"only"`)],
);
