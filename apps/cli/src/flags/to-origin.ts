import { InvalidArgumentError } from 'commander';

/** A destination by its origin; of a whole URL the rest is dropped. */
export function toOrigin(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).origin;
  throw new InvalidArgumentError('An http or https origin, such as https://receiver.example.org.');
}
