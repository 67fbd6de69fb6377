// Settings, start, signals, exit code. 64 = settings cannot be used, 1 = could not start, 0 = drained.
import { endSoon, untilSignal } from '../common/lifecycle.ts';
import { createLogger, type Logger } from '../common/logger.ts';
import { badSettingsExitCode, SettingsError } from '../common/settings.ts';
import { version } from '../common/version.ts';
import { startProxy } from './app.ts';
import { type ProxySettings, readProxySettings } from './settings.ts';

export async function runProxy(): Promise<void> {
  const settings = settingsOrExit();
  const log = loggerOrExit(settings);
  const proxy = await startProxy(settings, { log }).catch((error: unknown) =>
    exit(1, error instanceof Error ? error.message : String(error)),
  );
  const { port, tlsPort, adminPort } = proxy;
  log.info({ version, port, tls_port: tlsPort, admin_port: adminPort }, 'ready for requests');
  const signal = await untilSignal();
  log.info({ signal, grace_ms: settings.drainGrace }, 'draining');
  await proxy.drain();
  log.info('stopped');
  endSoon();
}

function settingsOrExit(): ProxySettings {
  try {
    return readProxySettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) return exit(badSettingsExitCode, error.message);
    throw error;
  }
}

function loggerOrExit({ logLevel: level, logFile: file }: ProxySettings): Logger {
  try {
    return createLogger({ name: 'proxy', level, ...(file !== undefined && { file }) });
  } catch (error) {
    return exit(1, `${error instanceof Error ? error.message : error} (GATEWAY_LOG_FILE)`);
  }
}

function exit(code: number, message: string): never {
  process.stderr.write(`proxy: ${message}\n`);
  process.exit(code);
}
