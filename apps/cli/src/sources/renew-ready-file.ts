import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnv } from '@tidegate/runtime';
import { type ReadyFile, writeReadyFile } from '../up/write-ready-file.ts';

/** Puts a source's new secret into the ready file, where Tidegate runs in this data folder; whoever writes it next reads it anew. */
export async function renewReadyFile(env: ProcessEnv, source: string, secret: string): Promise<void> {
  const path = env.readyFile ?? join(env.dataDir, 'ready.json');
  const ready = await readFile(path, 'utf8')
    .then((text) => JSON.parse(text) as ReadyFile)
    .catch(() => null);
  if (ready === null) return;
  const webhookUrl = `${ready.receiverUrl}/hooks/localtonet/${secret}`;
  const sources = ready.sources.map((one) => (one.name === source ? { name: source, webhookUrl } : one));
  await writeReadyFile(path, { ...ready, sources });
}
