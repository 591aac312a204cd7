declare const safe: unique symbol;

/**
 * A name from outside after `sanitizeName`: printable, single-line, short. The brand keeps raw names out of sentences.
 */
export type SafeName = string & { readonly [safe]: true };
