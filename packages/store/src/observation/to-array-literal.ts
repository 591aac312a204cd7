/**
 * An array of plain values as Postgres reads arrays, without quotes: for uuids, numbers, booleans and words, whose text holds
 * none of `{}," \` and is not empty. The driver's own way quotes and escapes every element, which costs more than the rest.
 */
export function toPlainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

/** An array of any texts, each quoted; null when all are null, so that an absent column costs nothing. */
export function toTextArray(values: readonly (string | null)[]): string | null {
  if (values.every((value) => value === null)) return null;
  return `{${values.map((value) => (value === null ? 'NULL' : `"${value.replace(SPECIAL, '\\$&')}"`)).join()}}`;
}

const SPECIAL = /["\\]/g;
