import type { CommandEntry, ValueHint } from './describe-commands.ts';
import { quote } from './quote.ts';

/** A completion function for bash, 3.2 of macOS included: neither associative arrays nor `mapfile`. */
export function writeBash(entries: readonly CommandEntry[]): string {
  const known = entries.filter(({ at }) => at !== '').map(({ at }) => quote(at));
  const values = entries.flatMap(({ at, options }) =>
    options.flatMap(({ long, value }) => {
      const action = complete(value);
      return action === null ? [] : [`    ${quote(`${at},${long}`)}) ${action}; return ;;`];
    }),
  );
  const options = entries.map(
    ({ at, options: all }) => `      ${quote(at)}) words=${quote(all.map(({ long }) => long).join(' '))} ;;`,
  );
  const words = entries.flatMap(({ at, commands, argument }) => {
    const all = argument.kind === 'words' ? argument.words : commands.map(({ name }) => name);
    return all.length === 0 ? [] : [`      ${quote(at)}) words=${quote(all.join(' '))} ;;`];
  });
  return `# bash completion for tidegate. Use it with: source <(tidegate completions bash)
_tidegate() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${known.join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at,$prev" in
${values.join('\n')}
  esac
  if [[ "$cur" == -* ]]; then
    case "$at" in
${options.join('\n')}
    esac
  else
    case "$at" in
${words.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _tidegate tidegate`;
}

function complete(value: ValueHint): string | null {
  switch (value.kind) {
    case 'none':
      return null;
    case 'any':
      return 'COMPREPLY=()';
    case 'path':
      return 'COMPREPLY=($(compgen -f -- "$cur"))';
    case 'words':
      return `COMPREPLY=($(compgen -W ${quote(value.words.join(' '))} -- "$cur"))`;
  }
}
