import { errorCode, type Log } from '@tidegate/runtime';
import type { SourceDirectory } from './source-directory.ts';

const REFRESH_MS = 5000;

/** Asks the store for the sources every five seconds; while it is away what was known stays known. */
export function keepSourcesFresh(sources: SourceDirectory, log: Log): NodeJS.Timeout {
  const warn = (error: unknown) =>
    log.warn('store.unavailable', { operation: 'refresh_sources', code: errorCode(error) });
  return setInterval(() => void sources.refresh().catch(warn), REFRESH_MS);
}
