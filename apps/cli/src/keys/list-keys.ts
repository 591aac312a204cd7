import { type ApiKeyRow, listApiKeys } from '@tidegate/store';
import type { TableRow } from '../output/format-table.ts';
import { showList } from '../output/show-list.ts';
import { withStore } from './with-store.ts';

const TONES = { live: 'good', expired: 'quiet', revoked: 'quiet' } as const;

/** Lists every key ever made with its state; a key's value is stored nowhere. */
export async function listKeys(flags: { json?: boolean }): Promise<void> {
  await withStore((sql) =>
    showList(flags, async () => {
      const keys = await listApiKeys(sql);
      return {
        head: ['ID', 'STATE', 'NAME', 'EXPIRES', 'SERVICES', 'SCOPES'],
        rows: keys.map(toRow),
        after: keys.length === 0 ? ['No keys.'] : [],
        json: { items: keys },
      };
    }),
  );
}

function toRow({ id, name, scopes, services, expiresAt, revokedAt }: ApiKeyRow): TableRow {
  const state = revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt < new Date() ? 'expired' : 'live';
  const touches = services === null ? 'all' : services.length === 0 ? 'none' : services.join(',');
  return {
    key: id,
    cells: [
      id,
      { text: state, tone: TONES[state] },
      name,
      expiresAt?.toISOString() ?? 'never',
      touches,
      scopes.join(','),
    ],
  };
}
