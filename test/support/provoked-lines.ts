/**
 * What the apps may say at level error when the Postgres under them is killed: the api that it could not answer, any of them
 * that it ended, and one that is started just then that it cannot. That a running app ends is postgres.js 3.4.9 writing to a
 * socket that is gone (github.com/porsager/postgres/issues/1208); the supervisor starts it again.
 */
export function tellsOfLostDatabase(line: string): boolean {
  return (
    (line.includes('"event":"request.failed"') && line.includes('"code":"store_unavailable"')) ||
    (line.includes('"event":"app.failed"') && line.includes('"error":{"code":"unexpected"}')) ||
    /^(receiver|api|worker): The database cannot be reached\.$/.test(line)
  );
}
