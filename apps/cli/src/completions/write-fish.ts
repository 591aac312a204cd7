import type { CommandEntry, OptionEntry } from './describe-commands.ts';

/** Completions for fish, for its folder `completions` or to be sourced. */
export function writeFish(entries: readonly CommandEntry[]): string {
  const known = entries.filter(({ at }) => at !== '').map(({ at }) => quoteFish(at));
  return `# fish completion for tidegate. Use it with: tidegate completions fish | source
function __tidegate_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${known.join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c tidegate -f
${entries.flatMap(completeOne).join('\n')}`;
}

function completeOne({ at, commands, options, argument }: CommandEntry): string[] {
  const here = `complete -c tidegate -n ${quoteFish(`__tidegate_at ${quoteFish(at)}`)}`;
  const words = argument.kind === 'words' ? [`${here} -a ${quoteFish(argument.words.join(' '))}`] : [];
  return [
    ...commands.map(({ name, description }) => `${here} -a ${quoteFish(name)} -d ${quoteFish(description)}`),
    ...words,
    ...options.map((option) => `${here} ${completeOption(option)} -d ${quoteFish(option.description)}`),
  ];
}

function completeOption({ long, value }: OptionEntry): string {
  const name = `-l ${long.replace(/^--/, '')}`;
  switch (value.kind) {
    case 'none':
      return name;
    case 'any':
      return `${name} -x`;
    case 'path':
      return `${name} -r -F`;
    case 'words':
      return `${name} -x -a ${quoteFish(value.words.join(' '))}`;
  }
}

function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
