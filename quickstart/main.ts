// `npm start`: both planes in one process. The compile cache is enabled first, as in the planes' own entries.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runQuickstart } = await import('./run.ts');
await runQuickstart();
