// The configuration file: contexts with their tokens. It belongs to one person, with mode 0600 in a directory of mode
// 0700, and is not used if others could read it. It is replaced as a whole, so that nobody reads a half-written file.
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject, parseJson } from '../common/json.ts';
import { Secret } from '../common/secret.ts';
import { usageMistake } from './failure.ts';
import { parseServer, type Transport } from './target.ts';

export interface Context {
  readonly server: string;
  readonly transport: Transport;
  /** Id or name; the default for commands without an explicit organization. */
  readonly organization?: string;
  /** Origin of the proxy, for commands that call it. */
  readonly url?: string;
  /** The console's URL, for logging in by a browser. */
  readonly console?: string;
  readonly token?: Secret;
  /** Id of a token that a login by a browser made. */
  readonly tokenId?: string;
  /** The token is in the keyring, under the name of the server. */
  readonly keyring?: true;
}

export interface Config {
  /** Name of the context in use. */
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

export function configPath(env: NodeJS.ProcessEnv): string {
  if (env.GATEWAYCTL_CONFIG) return env.GATEWAYCTL_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'gatewayctl', 'config.json');
}

/** Empty if there is no file. @throws Failure if others may read the file, or its content is invalid */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const path = configPath(env);
  const text = readPrivate(path);
  if (text === undefined) return { contexts: {} };
  const value = parseJson(text);
  if (!isObject(value)) throw broken(path, 'it is not JSON');
  const contexts = isObject(value.contexts) ? value.contexts : {};
  const current = optionalText(value.current);
  return {
    ...(current !== undefined && { current }),
    contexts: Object.fromEntries(
      Object.entries(contexts).map(([name, context]) => [name, readContext(context, `${path}: ${name}`)]),
    ),
  };
}

export function writeConfig(config: Config, env: NodeJS.ProcessEnv): void {
  const path = configPath(env);
  const { current, contexts } = config;
  const plain = Object.fromEntries(
    Object.entries(contexts).map(([name, { token, ...rest }]) => [
      name,
      { ...rest, ...(token && { token: token.reveal() }) },
    ]),
  );
  const text = `${JSON.stringify({ current, contexts: plain }, null, 2)}\n`;
  const draft = `${path}.${process.pid}`;
  try {
    if (mkdirSync(dirname(path), { recursive: true, mode: 0o700 }) !== undefined) chmodSync(dirname(path), 0o700);
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    throw usageMistake(`the configuration cannot be written: ${messageOf(error)}`);
  }
}

function readPrivate(path: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw usageMistake(`others may read ${path}, which contains tokens; run: chmod 600 ${path}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      if (error.code === 'ENOENT') return undefined;
      throw usageMistake(`the configuration cannot be read: ${error.message}`);
    }
    throw error;
  }
}

function readContext(value: unknown, where: string): Context {
  if (!isObject(value) || typeof value.server !== 'string') throw broken(where, 'it has no server');
  parseServer(value.server);
  const [organization, url, token] = [value.organization, value.url, value.token].map(optionalText);
  const [console, tokenId] = [value.console, value.tokenId].map(optionalText);
  return {
    server: value.server,
    transport: readTransport(value.transport, where),
    ...(organization !== undefined && { organization }),
    ...(url !== undefined && { url }),
    ...(console !== undefined && { console }),
    ...(token !== undefined && { token: new Secret(token) }),
    ...(tokenId !== undefined && { tokenId }),
    ...(value.keyring === true && { keyring: true }),
  };
}

function readTransport(value: unknown, where: string): Transport {
  if (isObject(value) && value.kind === 'plaintext') return { kind: 'plaintext' };
  if (!isObject(value) || value.kind !== 'tls') throw broken(where, 'its transport is neither plaintext nor tls');
  const [caFile, serverName] = [optionalText(value.caFile), optionalText(value.serverName)];
  return { kind: 'tls', ...(caFile && { caFile }), ...(serverName && { serverName }) };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function broken(where: string, why: string) {
  return usageMistake(`the configuration ${where} cannot be used: ${why}; mend it or remove it`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
