import { z } from 'zod';

/** One number and one unit, as the config takes them: `30m`, `2h`, `72h`; above zero, 24 days at most. */
export const durationSchema = z.string().regex(/^\d{1,10}(?:\.\d{1,3})?(?:ms|s|m|h)$/);
