/** Columns of the terminal that is written to; null where there is none, or it does not tell. */
export function screenWidth(): number | null {
  return process.stdout.columns > 0 ? process.stdout.columns : null;
}
