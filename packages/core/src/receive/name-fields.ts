/** Names of fields as they may be told: at most 8 that look like names, in the order given, and how many others there were. */
export interface FieldNames {
  readonly names: readonly string[];
  readonly unnamed: number;
}

const NAME_SHOWN = /^[A-Za-z]{1,24}$/;
const MAX_NAMES = 8;

/** Sorts the names of fields that nobody documented into what may be told and what is only counted: it may be anything (I3). */
export function nameFields(keys: readonly string[]): FieldNames {
  const names: string[] = [];
  let unnamed = 0;
  for (const key of keys) {
    if (names.length < MAX_NAMES && NAME_SHOWN.test(key)) names.push(key);
    else unnamed += 1;
  }
  return { names, unnamed };
}
