// `npm test`: set up what is missing, run every test, close with one line that counts them.
import { requireNode } from './require-node.mjs';

requireNode();
const { runTests } = await import('./run-tests.mjs');
await runTests(process.argv.slice(2));
