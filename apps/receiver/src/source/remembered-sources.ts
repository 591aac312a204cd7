import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveSource } from '@tidegate/store';

const FILE = 'sources.json';

/** The sources as the store last gave them, in a file: a receiver that starts while the store is away knows whom it may hear. */
export interface RememberedSources {
  /** Null when nothing was written, or it cannot be read. */
  load(): Promise<LiveSource[] | null>;
  /** Writes them down if they changed since the last time; nothing in them is secret. */
  save(sources: readonly LiveSource[]): Promise<void>;
}

/** Remembers them in a folder that is there. */
export function rememberSources(dir: string): RememberedSources {
  const path = join(dir, FILE);
  let written = '';
  return {
    async load() {
      try {
        const rows = JSON.parse(await readFile(path, 'utf8')) as Stored[];
        return rows.map(fromStored);
      } catch {
        return null;
      }
    },
    async save(sources) {
      const text = JSON.stringify(sources.map(toStored));
      if (text === written) return;
      await replaceFile(path, text);
      written = text;
    },
  };
}

type Stored = Omit<LiveSource, 'lookupHash'> & { readonly lookupHash: string };

function toStored({ id, name, group, timeZone, lookupHash }: LiveSource): Stored {
  return { id, name, group, timeZone, lookupHash: lookupHash.toString('base64') };
}

function fromStored({ lookupHash, ...source }: Stored): LiveSource {
  return { ...source, lookupHash: Buffer.from(lookupHash, 'base64') };
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
