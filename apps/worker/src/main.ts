import { runApp } from '@tidegate/runtime';
import { keepHeapSmall } from './keep-heap-small.ts';
import { startWorker } from './start-worker.ts';

keepHeapSmall();
// Only codes are ever logged. Every request makes a few errors of undici's, and their stacks took a tenth of the worker's time.
Error.stackTraceLimit = 0;
await runApp({ name: 'worker', start: startWorker });
