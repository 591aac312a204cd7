export { loadOpeningKeyring, type OpeningKeyring } from './opening/load-opening-keyring.ts';
export { createOpener, type Opener, type OpenerOptions } from './opening/opener.ts';
