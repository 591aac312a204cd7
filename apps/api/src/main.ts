import { runApp } from '@tidegate/runtime';
import { startApi } from './start-api.ts';

await runApp({ name: 'api', start: startApi });
