import { spawn } from 'node:child_process';

const STILL_MS = 10_000;
const OUTPUT_LIMIT = 200_000;

/** A step of set-up that failed; `output` is what the tool said. */
export class SetupError extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

export function say(line) {
  console.error(`tidegate: ${line}`);
}

/**
 * Runs one tool of the set-up, telling what is going on and for how long. What the tool itself says is shown when it fails, or
 * always with VERBOSE set. Throws SetupError.
 */
export async function runTool(step, command, args, options) {
  say(`${step.doing} …`);
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
  const still = setInterval(() => say(`${step.doing}: ${seconds()} so far`), STILL_MS);
  try {
    const { code, output } = await capture(command, args, options);
    if (code !== 0) throw new SetupError(`${step.doing} failed (${command} ${args.join(' ')})`, output);
    say(`${step.done} in ${seconds()}`);
  } finally {
    clearInterval(still);
  }
}

function capture(command, args, options) {
  return new Promise((resolve) => {
    const shown = Boolean(process.env.VERBOSE);
    const stdio = ['ignore', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe'];
    const child = spawn(command, args, { ...options, stdio, shell: process.platform === 'win32', detached: true });
    const watch = killGroupWithUs(child.pid);
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_LIMIT);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    // Our end closes the watch's pipe, which ends the tool and all that it started.
    const end = (signal) => process.exit(signal === 'SIGINT' ? 130 : 143);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
    const finish = (code, text) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, end);
      watch?.kill('SIGKILL');
      resolve({ code, output: text });
    };
    child.on('error', (error) => finish(1, error.message));
    child.on('close', (code) => finish(code ?? 1, output));
  });
}

/** A shell that waits for the end of our pipe and then kills the tool's whole group: half an install must not run on unseen. */
function killGroupWithUs(group) {
  if (group === undefined || process.platform === 'win32') return null;
  const script = 'read -r _; kill -s KILL -- "-$0"';
  const watch = spawn('/bin/sh', ['-c', script, String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watch.on('error', () => {});
  return watch;
}
