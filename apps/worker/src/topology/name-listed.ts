import { setImmediate as breathe } from 'node:timers/promises';
import type { SubjectType } from '@tidegate/core';
import { type Fingerprint, fingerprintVersions, type Keyring } from '@tidegate/vault';

/** How a subject is found in the store: under the current key, and under every other live one. */
export interface Fingerprints {
  readonly fingerprint: Fingerprint;
  readonly otherFingerprints: readonly Fingerprint[];
}

/** Works out fingerprints of what the account lists. */
export interface Namer {
  /** The fingerprints of these ids in a source group, in order; what was listed before and is no longer is forgotten. */
  name(place: { readonly group: string; readonly type: SubjectType }, ids: readonly string[]): Promise<Fingerprints[]>;
}

/** A digest has memory of its own, several times its size; a copy shares Node's pool. */
function pool({ fingerprint, otherFingerprints }: Fingerprints): Fingerprints {
  const copy = ({ version, value }: Fingerprint) => ({ version, value: Buffer.from(value) });
  return { fingerprint: copy(fingerprint), otherFingerprints: otherFingerprints.map(copy) };
}

/** How many fingerprints are worked out before others get their turn. */
const STRIDE = 500;

/**
 * Makes a namer that remembers what it worked out for the list before: a large account is listed every minute and changes
 * little. It holds ids, tokens among them, no longer than the account lists them; a rotated key empties it.
 */
export function createNamer(keyring: Keyring): Namer {
  const remembered = new Map<string, ReadonlyMap<string, Fingerprints>>();
  let keys = '';
  return {
    async name(place, ids) {
      const live = [...keyring.fingerprint.keys.keys(), keyring.fingerprint.current].join();
      if (live !== keys) remembered.clear();
      keys = live;
      const key = JSON.stringify([place.type, place.group]);
      const before = remembered.get(key);
      const names = new Map<string, Fingerprints>();
      let made = 0;
      for (const id of ids) {
        const known = before?.get(id);
        if (known === undefined) made += 1;
        if (made === STRIDE) {
          made = 0;
          await breathe();
        }
        names.set(id, known ?? pool(fingerprintVersions(keyring, { ...place, id })));
      }
      remembered.set(key, names);
      return ids.flatMap((id) => names.get(id) ?? []);
    },
  };
}
