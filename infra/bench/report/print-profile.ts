import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printTable } from './print-table.ts';

const SHOWN = 12;

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Prints where the time of the newest CPU profile in a folder went: by module, and by function, idle time left out. */
export async function printProfile(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).sort();
  const file = join(folder, names.at(-1) ?? '');
  const profile = JSON.parse(await readFile(file, 'utf8')) as Profile;
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byModule = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let total = 0;
  for (const [index, id] of profile.samples.entries()) {
    const { functionName, url } = frames.get(id) ?? { functionName: '', url: '' };
    if (functionName === '(idle)') continue;
    const spent = profile.timeDeltas[index] ?? 0;
    const module = moduleOf(url, functionName);
    total += spent;
    byModule.set(module, (byModule.get(module) ?? 0) + spent);
    const name = `${functionName || '(anonymous)'}, ${module}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + spent);
  }
  const top = (spent: ReadonlyMap<string, number>) =>
    [...spent]
      .sort((a, b) => b[1] - a[1])
      .slice(0, SHOWN)
      .map(([name, us]) => [`${((us / total) * 100).toFixed(1)} %`, name]);
  console.log(`\nWhere its time went, start-up included (${file}):\n`);
  printTable([['self', 'module'], ...top(byModule)]);
  console.log('');
  printTable([['self', 'function'], ...top(byFunction)]);
}

/** The npm package, our package, or the part of Node that a frame belongs to. */
function moduleOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native code';
  if (url.startsWith('node:')) return url;
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  return library ?? /\/((?:apps|packages)\/[^/]+)\//.exec(url)?.[1] ?? url;
}
