import type { Transaction } from '../database/connect.ts';

export interface LockedSource {
  readonly id: number;
  readonly origin: 'config' | 'cli';
  /** The live ones, newest first. */
  readonly secrets: { readonly lookupHash: Buffer; readonly origin: 'config' | 'cli' }[];
}

/** Takes a live source for this transaction; null when there is none of that name. */
export async function lockSource(tx: Transaction, name: string): Promise<LockedSource | null> {
  const [source] = await tx<{ id: number; origin: 'config' | 'cli' }[]>`
    select id, origin from source where name = ${name} and retired_at is null for no key update`;
  if (source === undefined) return null;
  const secrets = await tx<LockedSource['secrets']>`
    select lookup_hash, origin from source_secret where source_id = ${source.id} and retired_at is null
    order by created_at desc, lookup_hash`;
  return { ...source, secrets };
}
