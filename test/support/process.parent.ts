// Starts a long-running child and prints its pid: the test of process.ts kills this program.
import { startProcess } from './process.ts';

console.log(startProcess('sleep', ['600']).pid);
