import { commandLine, outliveReaders } from '@tidegate/runtime';
import { runProgram } from './run-program.ts';

outliveReaders('tidegate');
await runProgram(commandLine());
