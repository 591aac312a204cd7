import { InvalidArgumentError } from 'commander';

/** The payload hash of a review, as `tidegate review show` prints it. */
export function toPayloadHash(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new InvalidArgumentError('A payload hash is the 64 hex digits that `tidegate review show` prints.');
  }
  return Buffer.from(text, 'hex');
}
