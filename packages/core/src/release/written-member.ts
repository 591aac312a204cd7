/**
 * The text of the value that the member `name` of a JSON object was given, exactly as it was written; null when there is none.
 * A value that was parsed and written again may have other numbers and its keys in another order.
 * @param json valid JSON of an object, no key twice
 */
export function writtenMember(json: string, name: string): string | null {
  let depth = 0;
  let key: string | null = null;
  let start = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') {
      const end = endOfString(json, at);
      if (depth === 1 && key === null) key = String(JSON.parse(json.slice(at, end + 1)));
      at = end;
    } else if (char === '{' || char === '[') {
      depth += 1;
    } else if (depth > 1) {
      if (char === '}' || char === ']') depth -= 1;
    } else if (char === ':') {
      start = at + 1;
    } else if (char === ',' || char === '}') {
      if (key === name) return json.slice(start, at).trim();
      key = null;
    }
  }
  return null;
}

/** Where the string that begins at `start` has its closing quote. */
export function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
