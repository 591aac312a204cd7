import type { Operation } from './operation.ts';

/** The example as a command line; the address and the key are variables, so that it can be pasted as it is. */
export function toCurl({ method, scopes, auth, example }: Operation): string {
  const key = auth === 'basic' ? `-u "reader:$TIDEGATE_KEY"` : `-H "Authorization: Bearer $TIDEGATE_KEY"`;
  const parts = [
    'curl',
    ...(method === 'get' ? [] : ['-X', method.toUpperCase()]),
    `"$TIDEGATE_URL${example.path}"`,
    ...(scopes.length === 0 ? [] : [key]),
    ...Object.entries(example.headers ?? {}).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(example.body === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d '${JSON.stringify(example.body)}'`]),
  ];
  return parts.join(' ');
}
