import type { Hono } from 'hono';
import type { ApiEnv } from '../../api-context.ts';
import { PAGE_HEADERS } from '../layout/page-headers.ts';
import { ASSETS } from './assets.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';

/** The styles, the scripts and the icon. They are the same for everybody and hold nothing of anybody. */
export function addAssetRoutes(app: Hono<ApiEnv>): void {
  for (const { path, type, bytes } of Object.values(ASSETS)) {
    const headers = { ...PAGE_HEADERS, 'content-type': type, 'cache-control': FOR_EVER };
    app.get(path, () => new Response(new Uint8Array(bytes), { headers }));
  }
}
