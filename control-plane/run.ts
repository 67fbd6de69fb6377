// Settings, start, signals and exit code: 64 = unusable settings, 1 = could not start or finish, 0 = drained or done.
// Other commands: `new-master-key`, `new-bootstrap-token` and `new-record-key` print one value; `record-public-key`
// prints the public half of the key that signs records; `reseal` rotates the master key; `verify-audit` checks the
// audit log's chain and compares it with anchors; `missing-changes` lists the changes that a restore has undone.
import { readFile } from 'node:fs/promises';
import { type AuditAnchor, readAnchorLine } from '../common/audit-anchor.ts';
import { systemClock } from '../common/clock.ts';
import { createCredential } from '../common/credential.ts';
import { endSoon, untilSignal } from '../common/lifecycle.ts';
import { createLogger, type Logger } from '../common/logger.ts';
import { createSigningKey, publicPemOf } from '../common/record-signature.ts';
import { createSealKey } from '../common/seal.ts';
import { badSettingsExitCode, decodeSettings, SettingsError } from '../common/settings.ts';
import { version } from '../common/version.ts';
import { startControlPlane } from './app.ts';
import { contradiction } from './audit/anchors.ts';
import { createAuditLog, readAuditLog } from './audit/audit-export.ts';
import { missingChanges, needed } from './audit/missing-changes.ts';
import { missingChangesReport } from './audit/report.ts';
import {
  resealCaptureKeys,
  resealClientSecrets,
  resealGuardrailSecrets,
  resealProviderSecrets,
  resealRecordKeys,
  resealWebhookSecrets,
} from './reseal.ts';
import { type ControlPlaneSettings, controlPlaneSettings, readControlPlaneSettings } from './settings.ts';
import { type ChainFlaw, readAuditEvents, verifyAuditChain } from './store/audit-chain.ts';
import { openStore } from './store/open.ts';
import { type Store, StoreUnavailableError } from './store/store.ts';

/** @param command the arguments after the program's name */
export async function runControlPlane(command: readonly string[]): Promise<void> {
  const [name, file, ...more] = command;
  if (name === 'missing-changes' && file !== undefined && more.length === 0) {
    return await withStore((store) => reportMissingChanges(store, file));
  }
  if (name === 'verify-audit' && file !== undefined && more.length === 0) {
    return await withStore((store) => verifyAudit(store, file));
  }
  switch (command.join(' ')) {
    case '':
      return await serve();
    case 'new-master-key':
      return print(createSealKey());
    case 'new-bootstrap-token':
      return print(createCredential('bootstrap'));
    case 'new-record-key':
      return void process.stdout.write(createSigningKey());
    case 'record-public-key':
      return printRecordKey();
    case 'reseal':
      return await withStore(reseal);
    case 'verify-audit':
      return await withStore((store) => verifyAudit(store, undefined));
    default:
      return exit(
        badSettingsExitCode,
        'unknown command; there are new-master-key, new-bootstrap-token, new-record-key, record-public-key, reseal, verify-audit [file of anchors] and missing-changes <file>, and none to serve',
      );
  }
}

/** Reads no other setting, because the operator may make the key on a machine without a database. */
function printRecordKey(): void {
  const { recordSigningKey } = controlPlaneSettings;
  try {
    const { key } = decodeSettings({ key: recordSigningKey }, process.env);
    if (key === undefined)
      throw new SettingsError([`${recordSigningKey.name}: is needed, or ${recordSigningKey.name}_FILE`]);
    process.stdout.write(publicPemOf(key));
  } catch (error) {
    if (error instanceof SettingsError) exit(badSettingsExitCode, error.message);
    throw error;
  }
}

async function serve(): Promise<void> {
  const settings = settingsOrExit();
  const log = logger(settings);
  const started = await startControlPlane(settings, { log }).catch((error: unknown) => exit(1, failure(error)));
  const { grpcPort, httpPort, adminPort } = started;
  const ports = { grpc_port: grpcPort, http_port: httpPort, admin_port: adminPort };
  log.info({ version, ...ports }, 'ready');
  const signal = await untilSignal();
  log.info({ signal, grace_ms: settings.drainGrace }, 'draining');
  await started.close();
  log.info('stopped');
  endSoon();
}

type Maintenance = (store: Store, settings: ControlPlaneSettings) => Promise<void>;

async function withStore(work: Maintenance): Promise<void> {
  const settings = settingsOrExit();
  const url = settings.databaseUrl.reveal();
  const log = logger(settings);
  const onAuditEvent = settings.auditLog ? createAuditLog(log) : undefined;
  const store = await openStore({ url, log, clock: systemClock, onAuditEvent }).catch((error: unknown) =>
    exit(1, failure(error)),
  );
  try {
    await work(store, settings);
  } finally {
    await store.close();
  }
}

async function reseal(store: Store, settings: ControlPlaneSettings): Promise<void> {
  const providers = await resealProviderSecrets(store, settings.masterKey);
  print(`${providers.resealed} provider secrets are sealed under the newest master key`);
  const webhooks = await resealWebhookSecrets(store, settings.masterKey);
  print(`${webhooks.resealed} webhook secrets are sealed under the newest master key`);
  const guardrails = await resealGuardrailSecrets(store, settings.masterKey);
  print(`${guardrails.resealed} guardrail secrets are sealed under the newest master key`);
  const issuers = await resealClientSecrets(store, settings.masterKey);
  print(`${issuers.resealed} client secrets of issuers are sealed under the newest master key`);
  const recordKeys = await resealRecordKeys(store, settings.masterKey);
  print(`${recordKeys.resealed} record keys are sealed under the newest master key`);
  const captureKeys = await resealCaptureKeys(store, settings.masterKey);
  print(`${captureKeys.resealed} keys of captures are sealed under the newest master key`);
  if (providers.lost.length > 0) {
    complain(`no given master key opens these provider keys: ${providers.lost.join(', ')}`);
  }
  if (webhooks.lost.length > 0) {
    complain(`no given master key opens these webhooks: ${webhooks.lost.join(', ')}; rotate their secrets`);
  }
  if (guardrails.lost.length > 0) {
    complain(`no given master key opens these guardrails: ${guardrails.lost.join(', ')}; rotate their secrets`);
  }
  if (issuers.lost.length > 0) {
    complain(`no given master key opens the secrets of these issuers: ${issuers.lost.join(', ')}; update them`);
  }
  if (recordKeys.lost.length > 0) {
    const organizations = [...new Set(recordKeys.lost)].join(', ');
    complain(`no given master key opens the record keys of these organizations: ${organizations}; rotate them`);
  }
  if (captureKeys.lost.length > 0) {
    const organizations = [...new Set(captureKeys.lost)].join(', ');
    complain(
      `no given master key opens keys of captures of these organizations: ${organizations}; what is sealed to them is lost`,
    );
  }
}

async function verifyAudit(store: Store, file: string | undefined): Promise<void> {
  const verdict = await store.snapshot((db) => verifyAuditChain(db));
  if (!verdict.intact) return tampered(verdict);
  const anchors = file === undefined ? [] : await readAnchorFile(file);
  if (file !== undefined && anchors.length === 0) return complain(`${file} contains no anchor of the audit log`);
  const flaw = await contradiction(store, anchors);
  if (flaw !== undefined) return tampered(flaw);
  const against = file === undefined ? '' : `, compared with ${anchors.length} anchors`;
  print(`the audit log is intact: ${verdict.events} events${against}`);
}

async function readAnchorFile(file: string): Promise<readonly AuditAnchor[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => exit(1, failure(error)));
  return text.split('\n').flatMap((line) => readAnchorLine(line) ?? []);
}

function tampered({ revision, reason }: ChainFlaw): void {
  complain(`the audit log was tampered with at revision ${revision}: ${reason}`);
}

async function reportMissingChanges(store: Store, file: string): Promise<void> {
  const shipped = await readAuditLog(file).catch((error: unknown) => exit(1, failure(error)));
  if (shipped.length === 0) return complain(`${file} contains no line of the audit log`);
  const stored = await store.snapshot((db) => Array.fromAsync(readAuditEvents(db, needed(shipped))));
  const missing = missingChanges(stored, shipped);
  for (const line of missingChangesReport(missing)) print(line);
  const revocations = missing.undone.filter(({ kind }) => kind === 'revocation').length;
  if (revocations > 0) complain(`${revocations} revocations are undone`);
  if (missing.flaws.length > 0) complain('the log is not whole: more may be undone than is listed');
}

function complain(message: string): void {
  process.exitCode = 1;
  process.stderr.write(`control-plane: ${message}\n`);
}

function settingsOrExit(): ControlPlaneSettings {
  try {
    return readControlPlaneSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) return exit(badSettingsExitCode, error.message);
    throw error;
  }
}

function logger(settings: ControlPlaneSettings): Logger {
  const { logLevel: level, logFile: file } = settings;
  try {
    return createLogger({ name: 'control-plane', level, ...(file !== undefined && { file }) });
  } catch (error) {
    return exit(1, `${failure(error)} (GATEWAY_LOG_FILE)`);
  }
}

function failure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const why = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  if (error instanceof StoreUnavailableError) {
    return `${error.message}${why}; check GATEWAY_DATABASE_URL, and that the database runs`;
  }
  return error.message;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function exit(code: number, message: string): never {
  process.stderr.write(`control-plane: ${message}\n`);
  process.exit(code);
}
