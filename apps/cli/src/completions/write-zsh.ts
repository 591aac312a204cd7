import type { CommandEntry, ValueHint } from './describe-commands.ts';
import { quote } from './quote.ts';

/** A completion function for zsh, for a folder of `fpath` or to be sourced. */
export function writeZsh(entries: readonly CommandEntry[]): string {
  const known = entries.filter(({ at }) => at !== '').map(({ at }) => quote(at));
  const values = entries.flatMap(({ at, options }) =>
    options.flatMap(({ long, value }) => {
      const action = complete(value);
      return action === null ? [] : [`    (${quote(`${at},${long}`)}) ${action}return ;;`];
    }),
  );
  const options = entries.map(
    ({ at, options: all }) =>
      `      (${quote(at)}) found=(${all.map(({ long, description }) => described(long, description)).join(' ')}) ;;`,
  );
  const words = entries.flatMap(({ at, commands, argument }) => {
    const all =
      argument.kind === 'words'
        ? argument.words.map(quote)
        : commands.map(({ name, description }) => described(name, description));
    return all.length === 0 ? [] : [`      (${quote(at)}) found=(${all.join(' ')}) ;;`];
  });
  return `#compdef tidegate
# zsh completion for tidegate. Use it with: source <(tidegate completions zsh)
_tidegate() {
  local at='' i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${known.join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at,\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "$at" in
${options.join('\n')}
    esac
  else
    case "$at" in
${words.join('\n')}
    esac
  fi
  _describe -t tidegate tidegate found
}
if [[ "\${funcstack[1]}" == _tidegate ]]; then _tidegate "$@"; else compdef _tidegate tidegate; fi`;
}

/** `_describe` takes what is before the first colon as the word. */
function described(word: string, description: string): string {
  return quote(`${word}:${description.replaceAll(':', '\\:')}`);
}

function complete(value: ValueHint): string | null {
  switch (value.kind) {
    case 'none':
      return null;
    case 'any':
      return '';
    case 'path':
      return '_files; ';
    case 'words':
      return `compadd -- ${value.words.map(quote).join(' ')}; `;
  }
}
