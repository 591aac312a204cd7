// `npm run demo`: set up what is missing, then play one outage with the simulator and leave the api up.
import { requireNode } from './require-node.mjs';

requireNode();
const { launch } = await import('./launch.mjs');
await launch('demo');
