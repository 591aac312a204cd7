/**
 * What the apps may say at level error when the Postgres under them is killed: the api that it could not answer, and one that is
 * started just then that it cannot.
 */
export function tellsOfLostDatabase(line: string): boolean {
  return (
    /"event":"request\.failed".*"code":"store_unavailable"/.test(line) ||
    /^(receiver|api|worker): The database cannot be reached\.$/.test(line)
  );
}
