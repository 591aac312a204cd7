// `npm start`: set up what is missing, then `tidegate up` with the same arguments.
import { requireNode } from './require-node.mjs';

requireNode();
const { launch } = await import('./launch.mjs');
await launch('up');
