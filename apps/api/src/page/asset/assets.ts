import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that the pages load, under a name that changes with it. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Beside `src` and `dist`, so that both find it. */
const FOLDER = new URL('../../../assets/', import.meta.url);

const load = (name: string, ending: string, type: string): Asset => {
  const bytes = readFileSync(new URL(`${name}.${ending}`, FOLDER));
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  return { path: `/assets/${name}.${hash}.${ending}`, type, bytes };
};

/** Read once, when the api starts. */
export const ASSETS = {
  style: load('page', 'css', 'text/css; charset=utf-8'),
  script: load('page', 'js', 'text/javascript; charset=utf-8'),
  keys: load('keys', 'js', 'text/javascript; charset=utf-8'),
  docs: load('docs', 'css', 'text/css; charset=utf-8'),
  icon: load('icon', 'svg', 'image/svg+xml'),
} as const;
