import { describeFailure } from './describe-failure.ts';

const LOST_READERS = new Set(['EPIPE', 'ECONNRESET']);

/**
 * For commands whose output is read by another program, which may stop reading as `head` does: what is said after that is
 * dropped, and the work goes on to its end and its exit code. Output that cannot be written for another reason, as on a full
 * disk, is told in a sentence and ends with exit code 1.
 */
export function outliveReaders(app: string): void {
  let told = false;
  const lose = (error: NodeJS.ErrnoException) => {
    if (LOST_READERS.has(error.code ?? '') || told) return;
    told = true;
    process.exitCode = 1;
    process.stderr.write(`${describeFailure(app, error).text}\n`);
  };
  process.stdout.on('error', lose);
  process.stderr.on('error', lose);
}
