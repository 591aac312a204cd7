import { z } from 'zod';

/** What an API key may be allowed to do; `admin` allows everything. */
export const SCOPES = [
  'incidents:read',
  'incidents:write',
  'gate:read',
  'gate:override',
  'callbacks:write',
  'callbacks:review',
  'hosts:report',
  'admin',
] as const;

export const scopeSchema = z.enum(SCOPES);
export type Scope = z.output<typeof scopeSchema>;
