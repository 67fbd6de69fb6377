// The simulator as a process, for demonstrations in a cluster. To run it by hand: node simulator/main.ts
// Exit codes: 64 = invalid settings, 1 = could not start, 0 = stopped.
import { untilSignal } from '../common/lifecycle.ts';
import { createLogger } from '../common/logger.ts';
import { badSettingsExitCode, decodeSettings, listenAddress, SettingsError } from '../common/settings.ts';
import { startSimulator } from './index.ts';

const settings = {
  listen: {
    name: 'SIMULATOR_LISTEN',
    about: 'Address on which it serves all vendors.',
    decode: listenAddress,
    default: '127.0.0.1:8089',
  },
} as const;

try {
  const { listen } = decodeSettings(settings, process.env);
  const log = createLogger({ name: 'simulator', level: 'info' });
  const simulator = await startSimulator({ ...listen, log });
  log.info({ port: simulator.port }, 'ready');
  await untilSignal();
  await simulator.close();
} catch (error) {
  process.stderr.write(`simulator: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof SettingsError ? badSettingsExitCode : 1;
}
