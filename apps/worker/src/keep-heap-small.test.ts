import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('uses a flag that this V8 knows: one that it does not is ignored', () => {
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain('--heap-growing-percent');
});
