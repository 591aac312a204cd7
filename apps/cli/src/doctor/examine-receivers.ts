import { connect, listReceivers } from '@tidegate/store';
import { broken, type Finding, ok } from './finding.ts';

/** Whether every receiver is heard: while one is silent, every gate is held. */
export async function examineReceivers(url: string, silentAfterMs: number): Promise<Finding[]> {
  const sql = connect(url, { application: 'doctor', connections: 1 });
  try {
    const waitedFor = (await listReceivers(sql, silentAfterMs)).filter(({ retiredAt }) => retiredAt === null);
    const silent = waitedFor.filter((receiver) => receiver.silent);
    if (silent.length > 0) {
      const fix = 'Start it again, or if it will not come back: tidegate receivers retire ID --reason "…".';
      return silent.map(({ id }) => broken('receivers', `Receiver ${id} is silent, so every gate is held.`, fix));
    }
    const heard = waitedFor.length === 1 ? '1 is heard.' : `${waitedFor.length} are heard.`;
    return [ok('receivers', waitedFor.length === 0 ? 'None is waited for.' : heard)];
  } finally {
    await sql.end({ timeout: 3 });
  }
}
