import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { loadKeyring } from '@tidegate/vault';
import { loadOpeningKeyring } from '@tidegate/vault/open';
import { broken, type Finding, ok, warning } from '../doctor/finding.ts';

/** Bits that let anybody but the owner in. */
const OTHERS = 0o077;

/**
 * Whether the keyring is complete, belongs to the database, and is readable by its owner alone. Opens nothing: the private key
 * is only seen to be there.
 * @param boundTo the keyring that the database belongs to; null where that is not known
 */
export async function examineKeys(dataDir: string, boundTo: string | null): Promise<Finding[]> {
  const dir = join(dataDir, 'keyring');
  try {
    const { id } = await loadKeyring(dir);
    const findings = [
      ...judgeBinding(id, boundTo),
      ...(await judgePrivateKey(dir)),
      ...(await judgeModes(dataDir, dir)),
    ];
    return findings.length > 0 ? findings : [ok('keys', `Keyring ${id} is complete, and its owner’s alone.`)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [broken('keys', error.publicMessage, fixOf(error, dir))];
  }
}

function fixOf({ code, publicMessage }: AppError, dir: string): string {
  if (code === 'keyring_missing')
    return 'Start `tidegate up` once, or set TIDEGATE_DATA_DIR to the data folder that has it.';
  // The file may be whole: a backup over it would change nothing for this user.
  if (/\((EACCES|EPERM)\)/.test(publicMessage))
    return `Run this as the user that Tidegate runs as; if it is that one, give ${dir} to it (chown -R).`;
  return `Restore ${dir} from its backup; what was sealed cannot be opened without it.`;
}

function judgeBinding(id: string, boundTo: string | null): Finding[] {
  if (boundTo === null || boundTo === id) return [];
  const fix = 'Use the data folder that this database was first started with, or restore its keyring.';
  return [broken('keys', 'The database belongs to another keyring.', fix)];
}

/** A machine that only receives or only answers needs none, and is safer without. */
async function judgePrivateKey(dir: string): Promise<Finding[]> {
  try {
    await loadOpeningKeyring(dir);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const says = 'This machine cannot open what was sealed, as a worker must.';
    return [warning('keys', says, `If a worker runs here, restore the private key file of ${dir} from its backup.`)];
  }
}

async function judgeModes(dataDir: string, dir: string): Promise<Finding[]> {
  const inData = (await readdir(dataDir, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && /key|secret|^ready\.json$/.test(entry.name))
    .map(({ name }) => join(dataDir, name));
  const inKeyring = (await readdir(dir)).map((name) => join(dir, name));
  const open: string[] = [];
  for (const path of [dir, ...inKeyring, ...inData]) {
    if (((await stat(path)).mode & OTHERS) !== 0) open.push(path);
  }
  return open.map((path) =>
    broken('keys', `${path} can be read by others than its owner.`, `chmod ${path === dir ? '700' : '600'} ${path}`),
  );
}
