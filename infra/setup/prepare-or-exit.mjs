import { prepare } from './prepare.mjs';
import { SetupError, say } from './run-tool.mjs';

/** As `prepare`, for scripts: a failure ends the process with its reason and what the failing tool said. */
export async function prepareOrExit(options) {
  try {
    await prepare(options);
  } catch (error) {
    if (error instanceof SetupError) console.error(error.output);
    say(error.message);
    process.exit(1);
  }
}
