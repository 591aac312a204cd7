import { type SafeName, sanitizeName } from '@tidegate/core';
import { InvalidArgumentError } from 'commander';

const LONGEST_REASON = 200;
const LONGEST_NOTE = 500;

/** Why somebody does something, fit to be kept and shown. */
export function toReason(text: string): SafeName {
  return toText(text, LONGEST_REASON);
}

/** A note to a timeline. */
export function toNote(text: string): SafeName {
  return toText(text, LONGEST_NOTE);
}

/** What something is called. */
export function toName(text: string): SafeName {
  return toText(text);
}

/** A person's name. */
export function toActor(text: string): SafeName {
  return toText(text);
}

function toText(text: string, longest?: number): SafeName {
  const safe = sanitizeName(text, longest);
  if (safe === '') throw new InvalidArgumentError('It must say something.');
  return safe;
}
