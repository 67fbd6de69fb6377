// The keeper as a process. The compile cache is enabled first, so that a cold start does not compile everything again.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runKeeper } = await import('./run.ts');
await runKeeper();
