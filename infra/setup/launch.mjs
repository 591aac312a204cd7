import { join } from 'node:path';
import { endWithNpm } from './end-with-npm.mjs';
import { ROOT } from './paths.mjs';
import { prepareOrExit } from './prepare-or-exit.mjs';
import { runForeground } from './run-foreground.mjs';

/** Prepares the clone and becomes `tidegate <command>`: same terminal, same signals, same exit code. */
export async function launch(command) {
  endWithNpm();
  await prepareOrExit({ dev: false });
  const cli = join(ROOT, 'apps', 'cli', 'dist', 'main.js');
  process.exit(await runForeground(process.execPath, [cli, command, ...process.argv.slice(2)]));
}
