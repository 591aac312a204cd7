import { chmod, link, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from './errno-of.ts';
import { KEY_FILE_NAMES } from './key-file.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

const CLAIM = '.claimed-keyring';
const FILE_NAMES = Object.values(KEY_FILE_NAMES);
const LAST = KEY_FILE_NAMES.sealingPublic;

/**
 * Publishes a whole set of key files, or none of it, whoever else tries at the same time. The set is written to a
 * folder of its own, which is then renamed to the claim: only one rename can win, and from then on the set is decided.
 * Whoever meets a claim links its files into place, so a process that dies half-way leaves its work to the next.
 * Answers whether this call published the last file.
 */
export async function publishKeyFiles(
  dir: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<boolean> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  await syncFolder(dirname(dir));
  const stage = await mkdtemp(join(dir, '.new-keyring-'));
  try {
    for (const { name, text } of files) await writeDurably(join(stage, name), text);
    await syncFolder(stage);
    await renameUnlessTaken(stage, join(dir, CLAIM));
    await syncFolder(dir);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  return finishPublishing(dir);
}

/**
 * Puts the files of a claim, if there is one, into place and removes it; answers whether this call published the last
 * file. A link never replaces a file: a claim that came too late, or that others are finishing too, changes nothing.
 */
export async function finishPublishing(dir: string): Promise<boolean> {
  const claim = join(dir, CLAIM);
  let publishedLast = false;
  for (const name of FILE_NAMES) {
    const linked = await linkUnlessThere(join(claim, name), join(dir, name));
    if (name === LAST) publishedLast = linked;
  }
  await syncFolder(dir);
  await removeClaim(claim);
  return publishedLast;
}

async function renameUnlessTaken(stage: string, claim: string): Promise<void> {
  try {
    await rename(stage, claim);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error))) throw error;
  }
}

/** ENOENT means that somebody else has finished and removed the claim, which happens only after its last link. */
async function linkUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(errnoOf(error))) throw error;
    return false;
  }
}

/** Others may be removing the claim, or a late one may take its place; the next start removes what stays. */
async function removeClaim(claim: string): Promise<void> {
  try {
    await rm(claim, { recursive: true, force: true });
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT', 'EEXIST'].includes(errnoOf(error))) throw error;
  }
}
