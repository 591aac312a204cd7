import { spawnSync } from 'node:child_process';
import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../build-program.ts';
import { describeCommands } from './describe-commands.ts';
import { writeBash } from './write-bash.ts';
import { writeFish } from './write-fish.ts';
import { writeZsh } from './write-zsh.ts';

const entries = describeCommands(buildProgram());
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** What bash offers for the last of the words, asked of the function as bash itself would. */
function askBash(...words: string[]): string[] {
  const script = `${writeBash(entries)}
COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_tidegate
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the command tree', () => {
  it('has every command, option and choice', () => {
    expect(entries.find(({ at }) => at === '')?.commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['up', 'gate', 'incidents', 'services', 'doctor', 'completions']),
    );
    const list = entries.find(({ at }) => at === ' incidents list');
    expect(list?.options).toContainEqual({
      long: '--state',
      description: 'only those',
      value: { kind: 'words', words: ['open', 'acknowledged', 'resolved'] },
    });
    expect(entries.find(({ at }) => at === ' up')?.options).toContainEqual(
      expect.objectContaining({ long: '--config', value: { kind: 'path' } }),
    );
  });
});

/** Where there is no bash there is nothing to ask. */
const BASH = has('bash');

describe('bash', () => {
  it.each([
    [['tidegate', 'inc'], ['incidents']],
    [['tidegate', 'incidents', 'l'], ['list']],
    [['tidegate', 'incidents', 'list', '--st'], ['--state']],
    [['tidegate', 'incidents', 'list', '--state', 'o'], ['open']],
    [
      ['tidegate', 'incidents', 'list', '--json', '--state', ''],
      ['open', 'acknowledged', 'resolved'],
    ],
    [
      ['tidegate', 'completions', ''],
      ['bash', 'zsh', 'fish'],
    ],
    // A value that is called like a command leads nowhere, and what somebody writes freely is not guessed.
    [['tidegate', 'gate', 'hold', '--reason', 'list', '--for', ''], []],
    [['tidegate', 'gate', 'hold', 'list', '--fo'], ['--for']],
    [['tidegate', 'nothing', 'gate', 'l'], ['list']],
  ])('%j', (words, offered) => expect(BASH ? askBash(...words) : offered).toEqual(offered));

  it('offers files where a file is asked for', () => {
    const offered = BASH ? askBash('tidegate', 'check', '--config', 'packag') : ['package.json'];
    expect(offered).toContain('package.json');
  });
});

describe('what is written for a shell', () => {
  const awkward = new Command('tidegate');
  awkward
    .command('odd')
    .description('it\'s 50% of: $HOME `rm` "x" \\')
    .addOption(new Option('--kind <kind>', "that's").choices(['a', 'b']))
    .addArgument(new Argument('<file>'));

  it.each([
    ['bash', writeBash],
    ['zsh', writeZsh],
    ['fish', writeFish],
  ] as const)('%s: is one that the shell can read, and quotes what it must', (shell, write) => {
    for (const tree of [entries, describeCommands(awkward)]) {
      const text = write(tree);
      expect(text).not.toMatch(/undefined|\[object/);
      if (has(shell)) expect(spawnSync(shell, ['-n', '-c', text]).status).toBe(0);
      // Every quote is closed where it was opened: what is left outside of quotes holds none.
      const outside = shell === 'fish' ? text.replace(/'(\\.|[^'\\])*'/g, '') : text.replace(/\\'|'[^']*'/g, '');
      expect(outside.split('\n').filter((line) => line.includes("'"))).toEqual([]);
    }
  });

  it('describes to zsh and fish what is chosen among', () => {
    expect(writeZsh(entries)).toContain("'gate:hold a gate, force it open, or take that back'");
    expect(writeFish(entries)).toContain(
      "-n '__tidegate_at \\' incidents list\\'' -l state -x -a 'open acknowledged resolved'",
    );
  });
});
