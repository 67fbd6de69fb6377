// Entry point of gatewayctl. Enables the compile cache first, so that a command starts at once.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runGatewayctl } = await import('./run.ts');
process.exitCode = await runGatewayctl(process.argv.slice(2));
