import { InvalidArgumentError } from 'commander';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** A name of a service, source or group, as the config takes it. */
export function toConfigName(text: string): string {
  if (!NAME.test(text)) {
    throw new InvalidArgumentError(
      'A name is 1 to 63 letters, digits, ".", "_" or "-", starting with a letter or digit.',
    );
  }
  return text;
}
