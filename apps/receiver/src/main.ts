import { runApp } from '@tidegate/runtime';
import { startReceiver } from './start-receiver.ts';

await runApp({ name: 'receiver', start: startReceiver });
