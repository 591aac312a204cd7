import { z } from 'zod';

/** A named code. Later versions may know more of them, so a reader takes one it does not know as it takes any other. */
export const codeSchema = z.string().regex(/^[a-z][a-z0-9_]*$/);
