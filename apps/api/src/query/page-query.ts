import { instantSchema, PAGE_LIMIT } from '@tidegate/client';
import { z } from 'zod';

const LONGEST_CURSOR = 512;

/** The query parameters that every list takes. */
export const pageQuery = {
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(LONGEST_CURSOR)
    .optional()
    .transform((cursor) => cursor ?? null),
  limit: z
    .string()
    .regex(/^[0-9]{1,4}$/)
    .transform(Number)
    .pipe(z.int().min(PAGE_LIMIT.lowest).max(PAGE_LIMIT.highest))
    .prefault(String(PAGE_LIMIT.unlessGiven)),
};

/** The name of a source or a source group, as the config may give it. */
export const nameQuery = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)
  .optional();

/** Years that are written with four digits, in UTC: the database reads no other. */
const FIRST_YEAR = 1;
const LAST_YEAR = 9999;

/** `?since=`: no earlier than that. */
export const sinceQuery = instantSchema
  .transform((text) => new Date(text))
  .refine((date) => date.getUTCFullYear() >= FIRST_YEAR && date.getUTCFullYear() <= LAST_YEAR)
  .optional();

/** For what takes no query parameter at all. */
export const noQuery = z.strictObject({});
