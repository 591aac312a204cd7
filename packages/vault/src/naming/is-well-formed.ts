const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether UTF-8 can carry the text without loss, i.e. it holds no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
