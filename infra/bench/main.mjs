// `pnpm bench [name] [--rounds N] [--seconds N] [--profile FOLDER]`: measures what ships, in ratios of one run. No name: every bench.
import { fileURLToPath } from 'node:url';
import { requireNode } from '../setup/require-node.mjs';

requireNode();
const { endWithNpm } = await import('../setup/end-with-npm.mjs');
const { prepareOrExit } = await import('../setup/prepare-or-exit.mjs');
const { runForeground } = await import('../setup/run-foreground.mjs');
endWithNpm();
await prepareOrExit({ dev: false });
const run = fileURLToPath(new URL('./run.ts', import.meta.url));
const args = ['--import', import.meta.resolve('tsx'), run, ...process.argv.slice(2)];
process.exit(await runForeground(process.execPath, args));
