export { loadOpeningKeyring, type OpeningKeyring } from './opening/load-opening-keyring.ts';
export { createOpener, type Opener, type OpenerOptions } from './opening/opener.ts';
export { isOpeningFailure, rewrapDataKey } from './opening/rewrap-data-key.ts';
export {
  type KeysToRotate,
  type RetiredKeys,
  type RotatedKeyring,
  retireKeys,
  rotateKeyring,
} from './opening/rotate-keyring.ts';
export { type WatchedOpeningKeyring, watchOpeningKeyring } from './opening/watch-opening-keyring.ts';
