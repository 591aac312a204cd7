/**
 * Names a test after the invariants or requirements it proves: `it(verifies('I5', 'order does not matter'), …)`.
 * The coverage test reads these citations, so an id that no test cites turns the suite red.
 */
export function verifies(...idsThenTitle: [string, ...string[]]): string {
  const title = idsThenTitle.at(-1) ?? '';
  return `[${idsThenTitle.slice(0, -1).join(', ')}] ${title}`;
}
