// Settings, start, signals, exit code. Exit codes: 64 = invalid settings or the sidecar's image is the placeholder, 1 =
// could not start, 0 = drained.
import { endSoon, untilSignal } from '../common/lifecycle.ts';
import { createLogger } from '../common/logger.ts';
import { badSettingsExitCode, SettingsError } from '../common/settings.ts';
import { version } from '../common/version.ts';
import { startKeeper } from './app.ts';
import { type KeeperSettings, readKeeperSettings } from './settings.ts';

export async function runKeeper(): Promise<void> {
  const settings = settingsOrExit();
  const log = createLogger({ name: 'keeper', level: settings.logLevel });
  const keeper = await startKeeper(settings, { log }).catch((error: unknown) =>
    exit(1, error instanceof Error ? error.message : String(error)),
  );
  log.info({ version, admin_port: keeper.adminPort, identity: settings.identity }, 'keeping');
  const refused = keeper.refused.then((message) => exit(badSettingsExitCode, message));
  const signal = await Promise.race([untilSignal(), refused]);
  log.info({ signal }, 'draining');
  await keeper.close();
  log.info('stopped');
  endSoon();
}

function settingsOrExit(): KeeperSettings {
  try {
    return readKeeperSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) return exit(badSettingsExitCode, error.message);
    throw error;
  }
}

function exit(code: number, message: string): never {
  process.stderr.write(`keeper: ${message}\n`);
  process.exit(code);
}
