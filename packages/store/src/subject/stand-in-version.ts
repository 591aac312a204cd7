/**
 * The fingerprint version of stand-ins: subjects that nobody has told us of, and that therefore have no id. No fingerprint key
 * has this version, so no delivery and no poll can ever meet one, and there is nothing to renew or to open of them.
 */
export const STAND_IN_VERSION = 0;
