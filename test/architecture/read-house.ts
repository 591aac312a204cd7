import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listImports, type ScannedSource, scanSource } from './scan-source.ts';

/** One source file of the repository; `path` is relative to its root and uses `/`. */
export interface SourceFile extends ScannedSource {
  path: string;
  lines: number;
  imports: string[];
}

export interface Manifest {
  /** The folder that holds the package.json, `.` for the root. */
  folder: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MADE_BY_TOOLS = new Set(['node_modules', 'dist', '.turbo', '.cache', '.tidegate', '.git', 'coverage']);
const SOURCE = /\.(ts|tsx|mts|js|mjs|cjs)$/;

/** All files and folders below `folder`, without what tools make; folders end in `/`. */
export function listPaths(folder: string, root = ROOT): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (MADE_BY_TOOLS.has(entry.name)) return [];
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? [`${path}/`, ...listPaths(path, root)] : [path];
  });
}

export function readSources(root = ROOT): SourceFile[] {
  return ['apps', 'packages', 'infra', 'test']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => listPaths(folder, root))
    .filter((path) => SOURCE.test(path))
    .map((path) => toSourceFile(path, readFileSync(join(root, path), 'utf8')));
}

/** Also builds the planted files of the self-tests. */
export function toSourceFile(path: string, text: string): SourceFile {
  const source = scanSource(text);
  return { ...source, path, lines: text.replace(/\n$/, '').split('\n').length, imports: listImports(source) };
}

export function readManifests(root = ROOT): Manifest[] {
  const folders = ['apps', 'packages'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return ['.', ...folders]
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const json = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Partial<Manifest>;
      const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = json;
      return { folder, dependencies, optionalDependencies, devDependencies };
    });
}

/** The code that runs in production, as opposed to tests, their fixtures and set-up scripts. */
export function isShipped(path: string): boolean {
  return /^(apps|packages)\/[^/]+\/src\//.test(path) && !isTest(path);
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^(test|(apps|packages)\/[^/]+\/test)\//.test(path);
}
