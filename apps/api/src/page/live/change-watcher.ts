export interface ChangeWatcher {
  /** Calls back after each change until what it answers is called. Ended at once when the watcher has stopped. */
  watch(watcher: PageWatcher): () => void;
  /** Ends every watching, and every later one as it begins. */
  stop(): void;
}

interface PageWatcher {
  onChange(): void;
  onStop(): void;
}

/**
 * Looks whether anything on the pages has changed, once every `everyMs` for all who watch, and never while nobody does. This is
 * the one place that knows how a page learns of a change.
 * @param readMark a text that differs after a change; while it cannot be read nobody is told anything
 */
export function createChangeWatcher(
  readMark: () => Promise<string>,
  { everyMs }: { readonly everyMs: number },
): ChangeWatcher {
  const watchers = new Set<PageWatcher>();
  let timer: NodeJS.Timeout | null = null;
  let known: string | null = null;
  let stopped = false;

  function plan(): void {
    if (timer === null && watchers.size > 0 && !stopped) timer = setTimeout(look, everyMs);
  }

  async function look(): Promise<void> {
    const mark = await readMark().catch(() => null);
    // The first mark after a pause is told too: whoever joined meanwhile may have drawn their page before it.
    if (mark !== null && mark !== known) for (const watcher of [...watchers]) watcher.onChange();
    known = watchers.size === 0 ? null : (mark ?? known);
    timer = null;
    plan();
  }

  return {
    watch(watcher) {
      if (stopped) watcher.onStop();
      else watchers.add(watcher);
      plan();
      return () => {
        watchers.delete(watcher);
        if (watchers.size === 0) known = null;
      };
    },
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      for (const watcher of [...watchers]) watcher.onStop();
      watchers.clear();
    },
  };
}
