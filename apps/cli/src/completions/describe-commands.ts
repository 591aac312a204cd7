import type { Argument, Command, Option } from 'commander';

/** What follows an option or stands as an argument: one of some words, a path, anything, or nothing. */
export type ValueHint =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'path' | 'any' | 'none' };

export interface OptionEntry {
  /** `--state`; every option of ours has a long form. */
  readonly long: string;
  readonly description: string;
  readonly value: ValueHint;
}

/** One command of the tree, as a shell completes it. */
export interface CommandEntry {
  /** The words that lead to it, each with a space before it; empty for the program itself. */
  readonly at: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionEntry[];
  /** Of the first argument; a later one is never one of some words. */
  readonly argument: ValueHint;
}

/** The command tree as it is, flattened; what a shell completes cannot drift from what the program takes. */
export function describeCommands(command: Command, at = ''): CommandEntry[] {
  const { commands, options, registeredArguments } = command;
  const entry: CommandEntry = {
    at,
    commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: [...options.map(toEntry), { long: '--help', description: 'show how it is used', value: { kind: 'none' } }],
    argument: hintOf(registeredArguments[0]),
  };
  return [entry, ...commands.flatMap((child) => describeCommands(child, `${at} ${child.name()}`))];
}

function toEntry(option: Option): OptionEntry {
  const { long, description, flags, argChoices } = option;
  if (!flags.includes('<')) return { long: long ?? flags, description, value: { kind: 'none' } };
  if (argChoices !== undefined)
    return { long: long ?? flags, description, value: { kind: 'words', words: argChoices } };
  return { long: long ?? flags, description, value: { kind: /<(file|dir)>/.test(flags) ? 'path' : 'any' } };
}

function hintOf(argument: Argument | undefined): ValueHint {
  if (argument === undefined) return { kind: 'none' };
  return argument.argChoices === undefined ? { kind: 'any' } : { kind: 'words', words: argument.argChoices };
}
