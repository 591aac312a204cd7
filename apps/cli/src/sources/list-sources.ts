import { listSources as readSources, type SourceRow } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

/** `tidegate sources list`: what each is, when it was last heard of, and what its first delivery looked like. */
export async function listSources(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const sources = await readSources(sql);
    if (flags.json) {
      say(JSON.stringify({ items: sources }));
      return;
    }
    for (const source of sources) show(source);
    if (sources.length === 0) say('No sources: name some in the config, or `tidegate sources add`.');
  });
}

function show(source: SourceRow): void {
  const { name, group, timeZone, watch, origin, lastSeenAt, firstReport, firstRejection, counters, secrets } = source;
  const kept = origin === 'config' ? 'defined by the config' : 'added by hand';
  say(`${name}  (group ${group}, ${timeZone}, watch ${watch}; ${kept})`);
  say(`  last seen  ${lastSeenAt?.toISOString() ?? 'never'}`);
  const counted = Object.entries(counters).sort(([a], [b]) => (a < b ? -1 : 1));
  if (counted.length > 0) say(`  deliveries ${counted.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`);
  if (secrets.length > 1) say(`  secrets    ${secrets.length} live: a rotation is under way`);
  if (firstReport !== null) say(`  first      ${JSON.stringify(firstReport)}`);
  if (firstRejection !== null) say(`  misread    ${JSON.stringify(firstRejection)}`);
}
