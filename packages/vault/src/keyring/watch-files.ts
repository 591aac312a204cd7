import { stat } from 'node:fs/promises';

export interface FileWatch {
  /** Looks now, as the timer does: resolves to whether `load` ran and succeeded. */
  look(): Promise<boolean>;
  stop(): void;
}

export interface FileWatchOptions {
  readonly paths: readonly string[];
  readonly everyMs: number;
  /** Called at first, and when a file is not the one it was; one call at a time. */
  readonly load: () => Promise<void>;
  /** Told of every failure of `load` but the first, which is the caller's; it is tried again at the next look. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Loads files, and again whenever one has changed: by inode, size and time of change, asked every `everyMs`. That works on
 * every file system, and a file that was replaced by a rename has another inode. The timer keeps no process alive.
 */
export async function watchFiles(options: FileWatchOptions): Promise<FileWatch> {
  // Before the load: what is replaced in between is then loaded once more, rather than missed.
  let seen = await marksOf(options.paths);
  await options.load();
  let looking: Promise<boolean> | null = null;

  async function lookOnce(): Promise<boolean> {
    const marks = await marksOf(options.paths);
    if (marks === seen) return false;
    try {
      await options.load();
      seen = marks;
      return true;
    } catch (error) {
      options.onFailed(error);
      return false;
    }
  }

  function look(): Promise<boolean> {
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  }

  const timer = setInterval(() => void look(), options.everyMs);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}

async function marksOf(paths: readonly string[]): Promise<string> {
  const marks = await Promise.all(
    paths.map((path) =>
      stat(path, { bigint: true }).then(
        ({ ino, size, mtimeNs }) => `${ino}:${size}:${mtimeNs}`,
        () => 'absent',
      ),
    ),
  );
  return marks.join();
}
