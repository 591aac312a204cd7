import { parseDuration } from '@tidegate/runtime';
import { InvalidArgumentError } from 'commander';

/** A duration of the command line in milliseconds, above zero. */
export function toDuration(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === null || durationMs === 0) {
    throw new InvalidArgumentError(
      'A duration is a number and a unit above zero, such as 30m, 2h or 72h (576h at most).',
    );
  }
  return durationMs;
}
