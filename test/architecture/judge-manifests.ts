import type { Manifest, SourceFile } from './read-house.ts';
import { HOLE } from './scan-source.ts';

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Judges that every dependency is pinned in one place, and that what a package declares and what it imports are the same set. */
export function judgeManifest(manifest: Manifest, files: SourceFile[]): string[] {
  const { folder, dependencies, devDependencies, optionalDependencies } = manifest;
  const findings = [
    ...Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, version]) => judgePin(name, version)),
    ...Object.entries(optionalDependencies)
      .filter(([, version]) => version !== 'catalog:' && !EXACT.test(version))
      .map(([name, version]) => `${name} is not pinned: ${version}`),
    ...(folder === '.' ? [] : judgeUse(manifest, files)),
  ];
  return findings.map((why) => `${folder}/package.json: ${why}`);
}

function judgePin(name: string, version: string): string[] {
  const wanted = name.startsWith('@tidegate/') ? 'workspace:*' : 'catalog:';
  return version === wanted ? [] : [`${name} must be "${wanted}", not "${version}"`];
}

function judgeUse(manifest: Manifest, files: SourceFile[]): string[] {
  const own = files.filter((file) => file.path.startsWith(`${manifest.folder}/`));
  const imported = new Set(own.flatMap((file) => file.imports).map(packageOf));
  const shipped = own.filter(
    (file) => file.path.startsWith(`${manifest.folder}/src/`) && !/\.test\.tsx?$/.test(file.path),
  );
  const declared = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]);
  return [
    ...Object.keys(manifest.dependencies)
      .filter((name) => !imported.has(name))
      .map((name) => `${name} is declared and never imported`),
    ...[...new Set(shipped.flatMap((file) => file.imports).map(packageOf))]
      .filter((name) => name !== '' && !declared.has(name))
      .map((name) => `${name} is imported and not declared`),
  ];
}

/** The package a module name belongs to; empty for relative paths and for what Node brings. */
function packageOf(name: string): string {
  if (name.startsWith('.') || name.startsWith('node:') || name.startsWith(HOLE)) return '';
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Judges the catalog of pnpm-workspace.yaml: exact versions only, and none that nobody asks for. */
export function judgeCatalog(catalog: Record<string, string>, manifests: Manifest[]): string[] {
  const asked = new Set(
    manifests.flatMap((one) =>
      Object.keys({ ...one.dependencies, ...one.devDependencies, ...one.optionalDependencies }),
    ),
  );
  return [
    ...Object.entries(catalog)
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `catalog: ${name} is not exact: ${version}`),
    ...Object.keys(catalog)
      .filter((name) => !asked.has(name))
      .map((name) => `catalog: nobody asks for ${name}`),
  ];
}
