import { splitSealed } from './sealed-layout.ts';

/** The uuid of the data key that a sealed value needs, or null when it is no sealed value. Opens nothing. */
export function dataKeyIdOf(sealed: Uint8Array): string | null {
  return splitSealed(sealed)?.dataKeyId ?? null;
}
