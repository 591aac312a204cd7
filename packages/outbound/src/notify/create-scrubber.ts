import { type NotificationMessage, scrubText } from '@tidegate/core';

/** Content of a notification as it is about to leave: plain data, without anything that proves who we are. */
export type Content = string | number | boolean | null | readonly Content[] | { readonly [key: string]: Content };

interface Scrubbed<T> {
  readonly content: T;
  readonly removed: number;
}

export interface Scrubber {
  /** Looks at every text in the content, whoever put it there; keys are ours. */
  scrub<T extends Content>(content: T, message: NotificationMessage): Scrubbed<T>;
}

/** A shorter one would black out ordinary words. */
const SHORTEST_SECRET = 6;

/**
 * Makes the one scrubber that every notification passes as the last step before its channel. @param secrets values that must
 * not leave, such as keys of the config; each is looked for as it is and in the spellings it may have picked up on the way
 */
export function createScrubber(secrets: readonly string[]): Scrubber {
  const radioactive = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(spellings))];
  // The longest first, so that no part of one is left when another is a part of it.
  radioactive.sort((a, b) => b.length - a.length);

  return {
    scrub(content, message) {
      const { services, group, thread, link } = message;
      const harmless = new Set([
        ...services,
        thread,
        ...(group === null ? [] : [group]),
        ...(link === null ? [] : [link]),
      ]);
      for (const secret of radioactive) harmless.delete(secret);
      let removed = 0;
      const walk = (value: Content): Content => {
        if (typeof value === 'string') {
          const result = scrubText(value, { radioactive, harmless });
          removed += result.removed;
          return result.text;
        }
        if (Array.isArray(value)) return value.map(walk);
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner as Content)]));
      };
      const clean = walk(content) as typeof content;
      return { content: clean, removed };
    },
  };
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
