import { createHash } from 'node:crypto';

/** A repeatable source of chance: the same seed gives the same sequence on every machine. */
export interface SeededRandom {
  /** A whole number from 0 up to, not including, `limit` (1 to 2^32). */
  integer(limit: number): number;
  /** `length` characters drawn from `alphabet`. */
  text(length: number, alphabet: string): string;
  /** A new array with the same items in another order. */
  shuffle<T>(items: readonly T[]): T[];
}

const WORDS_PER_BLOCK = 8;
const WORD_VALUES = 2 ** 32;

/** Hashes a counter under the seed, so that no global generator is touched and no state leaks between users. */
export function createSeededRandom(seed: number | string): SeededRandom {
  let blockNumber = 0;
  let block = Buffer.alloc(0);
  let wordsUsed = WORDS_PER_BLOCK;

  const word = (): number => {
    if (wordsUsed === WORDS_PER_BLOCK) {
      block = createHash('sha256').update(`${seed}/${blockNumber}`).digest();
      blockNumber += 1;
      wordsUsed = 0;
    }
    wordsUsed += 1;
    return block.readUInt32BE((wordsUsed - 1) * 4);
  };
  const integer = (limit: number): number => Math.floor((word() / WORD_VALUES) * limit);

  return {
    integer,
    text: (length, alphabet) => Array.from({ length }, () => alphabet.charAt(integer(alphabet.length))).join(''),
    shuffle: (items) => {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = integer(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never];
      }
      return shuffled;
    },
  };
}
