import type { Bench } from '../bench.ts';
import { measureInTurn, ratios } from '../measure/measure-in-turn.ts';
import { createRequest } from '../measure/send-load.ts';
import { printReport } from '../report/print-report.ts';
import { NAME, startBed } from '../servers/start-bed.ts';

export const gate: Bench = {
  name: 'gate',
  about: 'a gate query, read from Postgres each time, against the same HTTP stack telling a fixed gate',
  async run(settings, signal) {
    console.log('gate: starting Postgres, the api and a fixed answer …');
    const bed = await startBed();
    try {
      const api = await bed.start('api');
      const fixed = await bed.start('hono-floor');
      await bed.linkService('700001');
      const query = createRequest(`/v1/gates/${NAME}`, [`Authorization: Bearer ${await bed.makeGateKey()}`], null);
      const floor = createRequest('/gate', [], null);
      const measured = await measureInTurn(
        [
          { label: 'gate query', server: api, nextRequest: () => query },
          { label: 'fixed gate on the same HTTP stack', server: fixed, nextRequest: () => floor },
        ],
        bed.postgresPid,
        settings,
        signal,
      );
      const values = ratios(measured[0], measured[1]);
      const goal = { label: 'gate query / fixed gate', unit: '', digits: 2, bound: { atLeast: 0.5 }, values };
      printReport('gate', [goal], measured, settings);
    } finally {
      await bed.close();
    }
  },
};
