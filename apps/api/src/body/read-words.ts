import { type SafeName, sanitizeName } from '@tidegate/core';
import { parseDuration } from '@tidegate/runtime';

/** What a person wrote, fit to be kept and shown; null when nothing visible is left. */
export function readWords(text: string, longest: number): SafeName | null {
  const safe = sanitizeName(text, longest);
  return safe === '' ? null : safe;
}

/** A duration above zero in milliseconds, or null. */
export function readDuration(text: string): number | null {
  const durationMs = parseDuration(text);
  return durationMs === 0 ? null : durationMs;
}
