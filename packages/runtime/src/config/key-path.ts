export type KeyPath = readonly (string | number)[];

/** Keys are the owner's text and may hold a pasted secret, so only letters with single hyphens or dots are repeated. */
const SHOWN_KEY = /^[A-Za-z]{1,24}(?:[-._][A-Za-z]{1,24}){0,3}$/;

/** A key path for people: `services[0].probes.public.url`, with `?` in place of a key that is not shown. */
export function formatKeyPath(path: KeyPath): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') {
      text += `[${segment}]`;
      continue;
    }
    const shown = SHOWN_KEY.test(segment) ? segment : '?';
    text += text === '' ? shown : `.${shown}`;
  }
  return text;
}

/** Whether `path` fits `pattern`, a dotted path in which `*` stands for any one segment. */
export function matchesPath(path: KeyPath, pattern: string): boolean {
  const wanted = pattern.split('.');
  return wanted.length === path.length && wanted.every((part, index) => part === '*' || part === path[index]);
}
