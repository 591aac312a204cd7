/** One line for the person at the terminal. Log lines go to stderr; what a command answers goes here, to stdout. */
export function say(line: string): void {
  console.log(line);
}
