import { publicTunnelId, type SafeName, type SubjectType, sanitizeName } from '@tidegate/core';
import { type MatchedSubject, matchSubjects, type SubjectIdentity } from '@tidegate/store';
import { newAlias } from '@tidegate/vault';
import type { WorkerContext } from '../worker-context.ts';
import type { Fingerprints } from './name-listed.ts';
import type { AccountList } from './read-account.ts';

/** A device or tunnel of the account as it is known in one source group. */
export interface Listed<T> {
  readonly item: T;
  readonly id: string;
  readonly fingerprints: Fingerprints;
  readonly name: SafeName | null;
  /** Null while nobody has heard of it in this group. */
  readonly subject: MatchedSubject | null;
}

/** How many subjects one statement looks up. */
const BATCH = 5000;

/** Finds the subjects that a list of API v2 is about, without any id or token leaving this process. */
export async function identifyListed<T>(
  { sql }: Pick<WorkerContext, 'sql'>,
  group: string,
  list: AccountList<T>,
  describe: (item: T) => { readonly id: string; readonly name: string | null },
): Promise<Listed<T>[]> {
  const names = await list.names(group);
  const listed: Listed<T>[] = [];
  for (let start = 0; start < names.length; start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    const subjects = await matchSubjects(sql, batch);
    for (const [index, item] of list.items.slice(start, start + BATCH).entries()) {
      const fingerprints = batch[index];
      if (fingerprints === undefined) continue;
      const { id, name } = describe(item);
      listed.push({ item, id, fingerprints, name: toName(name), subject: subjects[index] ?? null });
    }
  }
  return listed;
}

/** What the store needs to make a subject of it. A token, and a tunnel id that is not a number, is sealed. */
export function toIdentity<T>(
  { sealer }: Pick<WorkerContext, 'sealer'>,
  { group, type }: { readonly group: string; readonly type: SubjectType },
  { id, fingerprints }: Listed<T>,
): SubjectIdentity {
  const alias = newAlias(type === 'device' ? 'dev' : 'tun');
  const publicId = publicTunnelId(type, id);
  const sealedId = publicId === null ? sealer.seal(id, { row: alias, purpose: 'subject-id' }) : null;
  return { group, type, ...fingerprints, alias, publicId, sealedId };
}

export function toName(raw: string | null): SafeName | null {
  const name = raw === null ? null : sanitizeName(raw);
  return name === null || name === '' ? null : name;
}
