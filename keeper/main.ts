// The keeper as a process: compile cache first, so that a cold start does not pay for the same work again.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runKeeper } = await import('./run.ts');
await runKeeper();
