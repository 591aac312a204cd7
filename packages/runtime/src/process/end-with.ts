/** Lets the process end by itself with this exit code: what is still being written is not cut off. */
export function endWith(exitCode: number): void {
  process.exitCode = exitCode;
}
