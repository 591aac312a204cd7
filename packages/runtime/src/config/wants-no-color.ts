import type { Env } from './resolve-values.ts';

/** Whether the owner of the terminal asks for no colour: `NO_COLOR` is set to anything, or the terminal knows none. */
export function wantsNoColor(env: Env = process.env): boolean {
  return (env.NO_COLOR ?? '') !== '' || isPlainTerminal(env);
}

/** Whether the terminal says that it can neither be cleared nor coloured. */
export function isPlainTerminal(env: Env = process.env): boolean {
  return env.TERM === 'dumb';
}
