/** What a text is held against. */
export interface ScrubRules {
  /** Values that must not leave, in every spelling that is looked for; empty ones are ignored. */
  readonly radioactive: readonly string[];
  /** Values that look like a secret and are none, such as names of services and the link to the page. */
  readonly harmless: ReadonlySet<string>;
}

export interface ScrubbedText {
  readonly text: string;
  /** How many places were blacked out. */
  readonly removed: number;
}

export const REMOVED = '[removed]';

const LONG_RUN = 20;
const LONG_LETTERS = 32;
/** Ids and aliases of ours, as `newId` and `newAlias` make them. */
const OUR_ID = /^(?:inc|dev|tun|ver|cb|obs|sil|ntf|rec|rcv|rev|test)_[a-z0-9]{1,40}$/;

/** A part of a name that people give, such as `raspberrypi4-2019-living-room`: a word, a short number, or both. */
const WORD = /^[A-Za-z]{0,16}\d{0,4}$/;
/** One part may be neither, such as `7G3K2LQ`: random text has more of them. */
const SHORT_MIXTURE = /^[A-Za-z0-9]{1,8}$/;

const SHAPES: readonly RegExp[] = [
  /\b(?:tdg_|whsec_|tk_|xox[a-z]-|gh[a-z]_|sk-)[A-Za-z0-9+/=_-]{4,}/g,
  /\/hooks\/\S+/g,
  /\bBearer\s+[^\s,;"']{6,}/gi,
  /\bBasic\s+(?=[A-Za-z0-9+/]*[0-9+/=])[A-Za-z0-9+/]{8,}={0,2}/g,
];
const URL_SHAPE = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'|]+/gi;
const RUN_SHAPE = /[A-Za-z0-9_+/=-]{20,}/g;

/**
 * Blacks out what looks like a credential or is one that is known, whoever put it there: the last look at a text before it
 * leaves. What it is given is redacted by construction; this catches what construction forgot (a token used as a device's
 * name). Fails closed: what looks random is taken for a secret. Idempotent.
 */
export function scrubText(text: string, { radioactive, harmless }: ScrubRules): ScrubbedText {
  let removed = 0;
  const strike = () => {
    removed += 1;
    return REMOVED;
  };
  let clean = text;
  for (const value of radioactive) {
    if (value === '' || !clean.includes(value)) continue;
    removed += clean.split(value).length - 1;
    clean = clean.replaceAll(value, REMOVED);
  }
  clean = clean.replace(URL_SHAPE, (url) => (harmless.has(url) ? url : strike()));
  for (const shape of SHAPES) clean = clean.replace(shape, (match) => (isInLink(match, harmless) ? match : strike()));
  clean = clean.replace(RUN_SHAPE, (run) => (isPlain(run, harmless) ? run : strike()));
  return { text: clean, removed };
}

/** A link of ours that is harmless as a whole is so in its parts. */
function isInLink(part: string, harmless: ReadonlySet<string>): boolean {
  return [...harmless].some((value) => value.includes('://') && value.includes(part));
}

function isPlain(run: string, harmless: ReadonlySet<string>): boolean {
  if (OUR_ID.test(run) || harmless.has(run) || isInLink(run, harmless) || isNamed(run)) return true;
  const digits = /\d/.test(run);
  const letters = /[A-Za-z]/.test(run);
  if (digits && (letters || run.length > LONG_RUN - 1)) return false;
  return run.length < LONG_LETTERS || /[_/-]/.test(run);
}

/** A device is often named so, and a page without its name helps nobody. Text that is random has hardly any such parts. */
function isNamed(run: string): boolean {
  const parts = run.split(/[-_]+/).filter((part) => part !== '');
  const others = parts.filter((part) => !WORD.test(part));
  return parts.length > 1 && (others.length === 0 || (others.length === 1 && SHORT_MIXTURE.test(others[0] ?? '')));
}
