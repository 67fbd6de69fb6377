// Starts the control plane as a process. It enables the compile cache first, so that a cold start does not compile
// again.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runControlPlane } = await import('./run.ts');
await runControlPlane(process.argv.slice(2));
