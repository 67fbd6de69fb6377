// Settings, start, signals, exit code. Exit codes: 64 = invalid settings, 1 = could not start, 0 = drained.
import { endSoon, untilSignal } from '../common/lifecycle.ts';
import { createLogger } from '../common/logger.ts';
import { badSettingsExitCode, SettingsError } from '../common/settings.ts';
import { version } from '../common/version.ts';
import { drainGraceMs, startInjector } from './app.ts';
import { type InjectorSettings, readInjectorSettings } from './settings.ts';

export async function runInjector(): Promise<void> {
  const settings = settingsOrExit();
  const log = createLogger({ name: 'injector', level: settings.logLevel });
  const injector = await startInjector(settings, { log }).catch((error: unknown) =>
    exit(1, error instanceof Error ? error.message : String(error)),
  );
  log.info({ version, port: injector.port, admin_port: injector.adminPort }, 'ready for reviews');
  const signal = await untilSignal();
  log.info({ signal, grace_ms: drainGraceMs }, 'draining');
  await injector.close();
  log.info('stopped');
  endSoon();
}

function settingsOrExit(): InjectorSettings {
  try {
    return readInjectorSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) return exit(badSettingsExitCode, error.message);
    throw error;
  }
}

function exit(code: number, message: string): never {
  process.stderr.write(`injector: ${message}\n`);
  process.exit(code);
}
