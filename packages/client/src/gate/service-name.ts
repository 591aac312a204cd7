import { z } from 'zod';

/** The name of a service as the config gives it. */
export const serviceNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/);
