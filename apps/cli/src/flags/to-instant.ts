import { parseDuration } from '@tidegate/runtime';
import { InvalidArgumentError } from 'commander';

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A point in time: a date, a date with time and zone, or a duration before now. */
export function toInstant(text: string): Date {
  const ago = parseDuration(text);
  const at = ago === null ? new Date(ISO.test(text) ? text : Number.NaN) : new Date(Date.now() - ago);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('A time is 2026-11-29, 2026-11-29T08:00:00Z, or how long ago, such as 72h.');
  }
  return at;
}
