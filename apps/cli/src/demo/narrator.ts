import { say } from '../output/say.ts';

/** Tells the story: each line with the seconds since the demo's own start. */
export interface Narrator {
  chapter(title: string): void;
  tell(line: string): void;
}

export function createNarrator(): Narrator {
  const startedAtMs = performance.now();
  return {
    chapter: (title) => say(`\n── ${title}`),
    tell: (line) => say(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)}s  ${line}`),
  };
}
