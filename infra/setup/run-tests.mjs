import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithNpm } from './end-with-npm.mjs';
import { ROOT } from './paths.mjs';
import { prepareOrExit } from './prepare-or-exit.mjs';
import { runForeground } from './run-foreground.mjs';

/**
 * Runs vitest with `args` and ends the process with its outcome. The closing line counts tests; a file that failed to load
 * counts as one. What became of each test is kept as JSON in the file that TIDEGATE_TEST_REPORT names, if any.
 */
export async function runTests(args) {
  endWithNpm();
  await prepareOrExit({ dev: true });
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-report-'));
  const report = join(folder, 'report.json');
  const reporters = args.some((argument) => argument.startsWith('--reporter')) ? [] : ['--reporter=default'];
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const command = [vitest, 'run', ...args, ...reporters, '--reporter=json', `--outputFile.json=${report}`];
  const code = await runForeground(process.execPath, command, { cwd: ROOT });
  const { passed, failed } = countTests(
    existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] },
  );
  const kept = process.env.TIDEGATE_TEST_REPORT;
  if (kept && existsSync(report)) copyFileSync(report, kept);
  await rm(folder, { recursive: true, force: true });
  // An error outside any test, or a run without tests, fails too.
  const failures = code !== 0 && failed === 0 ? 1 : failed;
  console.log(`\n${passed} passed, ${failures} failed`);
  process.exit(failures > 0 ? code || 1 : 0);
}

function countTests(report) {
  const count = { passed: 0, failed: 0 };
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === 'failed').length;
    count.passed += file.assertionResults.filter((test) => test.status === 'passed').length;
    count.failed += file.status === 'failed' && failed === 0 ? 1 : failed;
  }
  return count;
}
