import { commandLine } from '@tidegate/runtime';
import { runProgram } from './run-program.ts';

await runProgram(commandLine());
