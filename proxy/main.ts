// The proxy as a process. The compile cache comes first, so that a cold start does not pay for the same work again.
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

enableCompileCache();
// On one core the collector's helper threads only compete with the requests.
if (availableParallelism() === 1) setFlagsFromString('--single-threaded-gc');
const { runProxy } = await import('./run.ts');
await runProxy();
