import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/** Folders of all workspace packages, relative to the clone, sorted. */
export function listWorkspaces() {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(ROOT, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, group, entry.name, 'package.json')))
      .map((entry) => `${group}/${entry.name}`)
      .sort(),
  );
}

/** Changes when the installed packages may no longer fit: lock file, manifests, patches, Node's ABI, machine. */
export function fingerprintInstall() {
  const patches = readdirSync(join(ROOT, 'infra/patches')).map((name) => `infra/patches/${name}`);
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', 'package.json', ...patches.sort()];
  const machine = `${process.platform}-${process.arch}-${process.versions.modules}`;
  return hashFiles(machine, [...files, ...listWorkspaces().map((folder) => `${folder}/package.json`)]);
}

/** Changes when a build would: everything that is compiled, and what it is compiled with. */
export function fingerprintBuild() {
  const sources = listWorkspaces().flatMap((folder) => [`${folder}/tsconfig.json`, ...listSources(`${folder}/src`)]);
  return hashFiles(fingerprintInstall(), ['tsconfig.base.json', 'turbo.json', ...sources]);
}

function listSources(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? listSources(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .sort();
}

function hashFiles(start, paths) {
  const hash = createHash('sha256').update(start);
  for (const path of paths) {
    const full = join(ROOT, path);
    hash.update(`\0${path}\0`);
    if (existsSync(full)) hash.update(readFileSync(full));
  }
  return hash.digest('hex');
}
