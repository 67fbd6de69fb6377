// Selects the server and token of a command: from its options, otherwise from the environment, otherwise from the
// context of the configuration. gRPC is loaded with the first connection, so help and completion work without it.
import { containsCredential, isWellFormedCredential } from '../common/credential.ts';
import { Secret } from '../common/secret.ts';
import { duration } from '../common/settings.ts';
import type { Client } from './client.ts';
import { type Context, readConfig } from './config.ts';
import { Failure, usageMistake } from './failure.ts';
import { type Io, readGiven } from './io.ts';
import { openKeyring } from './keyring.ts';
import { chooseTransport, type Target, type TransportWish } from './target.ts';
import { type ExchangeWish, exchangedToken, exchangeSource } from './token-exchange.ts';

/** Options of every command that connects to a server. */
export interface ConnectionOptions extends TransportWish, ExchangeWish {
  readonly context?: string;
  readonly server?: string;
  readonly tokenFile?: string;
  readonly organization?: string;
  readonly timeout?: string;
}

export interface Session {
  /** Name of the context, if one is in use. */
  readonly context: string | undefined;
  readonly target: Target;
  /** From --organization or the context. */
  readonly organization: string | undefined;
  /** The only connection of this command. */
  client(): Promise<Client>;
  close(): void;
}

/** @throws Failure that names the missing setting */
export async function openSession(options: ConnectionOptions, io: Io): Promise<Session> {
  const { name, context } = chooseContext(options, io.env);
  const reached = { ...connectionOf(options, context, io.env), timeoutMs: timeoutMs(options.timeout) };
  const target: Target = { ...reached, token: await chooseToken(options, context, { io, reached }) };
  let opened: Promise<Client> | undefined;
  return {
    context: name,
    target,
    organization: options.organization ?? context?.organization,
    client: () => {
      opened ??= import('./client.ts').then(({ dial }) => dial(target));
      return opened;
    },
    close: () =>
      void opened?.then(
        (client) => client.close(),
        () => undefined,
      ),
  };
}

/** @throws Failure if the context does not exist */
export function chooseContext(
  options: ConnectionOptions,
  env: NodeJS.ProcessEnv,
): { readonly name: string | undefined; readonly context: Context | undefined } {
  const config = readConfig(env);
  const chosen = options.context ?? (env.GATEWAYCTL_CONTEXT || undefined);
  const name = chosen ?? config.current;
  const context = name === undefined ? undefined : config.contexts[name];
  if (chosen !== undefined && context === undefined)
    throw usageMistake(`there is no context "${chosen}"; gatewayctl context list shows those there are`);
  return { name: context && name, context };
}

/** A token belongs to the server of its context. If another server is given, the token is not sent. */
function connectionOf(options: ConnectionOptions, context: Context | undefined, env: NodeJS.ProcessEnv) {
  const server = options.server ?? (env.GATEWAYCTL_SERVER || undefined) ?? context?.server;
  if (server === undefined)
    throw usageMistake('no server is known; name one: gatewayctl context add local --server 127.0.0.1:50051');
  const { plaintext, tls, caFile, serverName } = options;
  const saysTransport = [plaintext, tls, caFile, serverName].some((wish) => wish !== undefined);
  const transport =
    context !== undefined && context.server === server && !saysTransport
      ? context.transport
      : chooseTransport(server, options);
  return { server, transport };
}

async function chooseToken(
  options: ConnectionOptions,
  context: Context | undefined,
  { io, reached }: { readonly io: Io; readonly reached: Omit<Target, 'token'> },
): Promise<Secret | undefined> {
  const server = options.server ?? (io.env.GATEWAYCTL_SERVER || undefined);
  if (options.tokenFile !== undefined) return operatorToken(await readGiven(options.tokenFile, io), options.tokenFile);
  const isWished = options.tokenExchange !== undefined || options.serviceAccount !== undefined;
  if (io.env.GATEWAYCTL_TOKEN && !isWished) return operatorToken(io.env.GATEWAYCTL_TOKEN, 'GATEWAYCTL_TOKEN');
  const exchange = exchangeSource(options, io.env);
  if (exchange !== undefined) return await exchangedToken(exchange, reached, io);
  if (context === undefined || (server !== undefined && server !== context.server)) return undefined;
  return context.keyring === true ? await tokenOfKeyring(context.server) : context.token;
}

async function tokenOfKeyring(server: string): Promise<Secret | undefined> {
  const text = (await openKeyring())?.read(server);
  return text === undefined ? undefined : operatorToken(text, 'the keyring');
}

/** Refuses any text that is not an operator's token, so that it is not sent anywhere. @throws Failure */
export function operatorToken(text: string, where: string): Secret {
  const token = text.trim();
  if (isWellFormedCredential('operator', token)) return new Secret(token);
  const why =
    containsCredential(token) && !token.startsWith('gw-op-')
      ? 'is another kind of credential'
      : 'is cut short or mistyped';
  throw usageMistake(
    `the token in ${where} ${token === '' ? 'is empty' : why}: a token of an operator is gw-op-… with 49 further characters`,
  );
}

/** @throws Failure */
export function requireToken({ target }: Session): void {
  if (target.token === undefined)
    throw new Failure('unauthenticated', `there is no token for ${target.server}; run: gatewayctl login`);
}

/** @throws Failure */
export function timeoutMs(text: string | undefined, otherwise = '15s'): number {
  try {
    return duration(text ?? otherwise);
  } catch (error) {
    throw usageMistake(`--timeout ${error instanceof Error ? error.message : ''}`);
  }
}
