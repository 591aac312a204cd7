// `pnpm bench [name] [--rounds N] [--seconds N]`: measures what ships, in ratios taken in one run. Without a name, every bench.
import { fileURLToPath } from 'node:url';
import { requireNode } from '../setup/require-node.mjs';

requireNode();
const { prepareOrExit } = await import('../setup/prepare.mjs');
const { runForeground } = await import('../setup/run-foreground.mjs');
await prepareOrExit({ dev: false });
const run = fileURLToPath(new URL('./run.ts', import.meta.url));
process.exit(
  await runForeground(process.execPath, ['--import', import.meta.resolve('tsx'), run, ...process.argv.slice(2)]),
);
