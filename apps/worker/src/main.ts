import { runApp } from '@tidegate/runtime';
import { startWorker } from './start-worker.ts';

await runApp({ name: 'worker', start: startWorker });
