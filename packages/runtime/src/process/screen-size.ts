/** The terminal that is written to, in characters; null where there is none, or it does not tell. */
export function screenSize(): { readonly columns: number; readonly rows: number } | null {
  const { columns, rows } = process.stdout;
  return columns > 0 && rows > 0 ? { columns, rows } : null;
}
