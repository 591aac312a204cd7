import { connect, type Sql } from '@tidegate/store';

/**
 * How many shared buffers each of `times` runs touches, found in memory or not, on average. They run one after another on one
 * connection whose counters a second one reads, so that nothing else the server does is counted.
 */
export async function countBuffers(url: string, times: number, run: (sql: Sql) => Promise<unknown>): Promise<number> {
  const sql = connect(url, { application: 'bench', connections: 1 });
  const watch = connect(url, { application: 'bench', connections: 1 });
  try {
    // Plans are made, and what the catalog says is remembered, before anything is counted.
    for (let warming = 0; warming < WARM_UP; warming += 1) await run(sql);
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const read = async () => {
      await sql`select pg_stat_force_next_flush()`;
      const [row] = await watch<{ touched: number }[]>`
        select sum(hits + reads)::float8 as touched from pg_stat_get_backend_io(${backend?.pid ?? 0}) where object = 'relation'`;
      return row?.touched ?? Number.NaN;
    };
    const before = await read();
    for (let done = 0; done < times; done += 1) await run(sql);
    return ((await read()) - before) / times;
  } finally {
    await Promise.all([sql.end({ timeout: 3 }), watch.end({ timeout: 3 })]);
  }
}

const WARM_UP = 12;
