import { runApp } from '@tidegate/runtime';
import { startWorker } from './start-worker.ts';

// Only codes are ever logged. Every request makes a few errors of undici's, and their stacks took a tenth of the worker's time.
Error.stackTraceLimit = 0;
await runApp({ name: 'worker', start: startWorker });
