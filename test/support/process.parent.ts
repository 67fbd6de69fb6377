// Starts a child that would run for long and prints its pid: the test of process.ts kills this program.
import { startProcess } from './process.ts';

console.log(startProcess('sleep', ['600']).pid);
