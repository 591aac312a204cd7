/** What this process was called with, without the names of Node and of the program. */
export function commandLine(): string[] {
  return process.argv.slice(2);
}
