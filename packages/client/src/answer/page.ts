import { z } from 'zod';

/** Lists come newest first. `nextCursor` is null on the last page; pass it back as `cursor` for the next one. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item).describe('The items of this page, in the order of the list.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('Give it back as `cursor` for the page after this one; null on the last page.'),
  });
}

/** How many items a page may hold, and how many it holds unless asked. */
export const PAGE_LIMIT = { lowest: 1, highest: 500, unlessGiven: 50 } as const;
