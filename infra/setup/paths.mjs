import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the clone, without a slash at its end. */
export const ROOT = join(fileURLToPath(new URL('../..', import.meta.url)), '.').replace(/[\\/]$/, '');
export const CACHE = join(ROOT, '.cache');
