// `npm start`: both planes in one process. Compile cache first, as in the planes' own entries.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runQuickstart } = await import('./run.ts');
await runQuickstart();
