// Log in and log out. A token is saved only after the server has accepted it. It comes from a hidden prompt, standard
// input, a file or a browser, never from the command line.
import { isWellFormedCredential } from '../../common/credential.ts';
import { Secret } from '../../common/secret.ts';
import type { StatusCaller__Output as StatusCaller } from '../../proto/generated/gateway/v1/StatusCaller.ts';
import { enumWord } from '../../proto/json/contract.ts';
import { CallFailure } from '../call-failure.ts';
import { type Command, type Given, type Invocation, isGiven, textOf } from '../command.ts';
import { type Config, type Context, configPath, readConfig, writeConfig } from '../config.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { openKeyring } from '../keyring.ts';
import { printJson } from '../print-response.ts';
import { chooseContext, operatorToken, requireToken, type Session } from '../session.ts';
import { printable } from '../table.ts';

const defaultContext = 'default';

const consoleOption: Given = {
  flags: '--console <url>',
  about: 'log in through a browser, at the console with this address',
};
const deviceOption: Given = {
  flags: '--device',
  about: 'show a code to type in a browser of any machine, in place of opening one here',
};

export const login: Command = {
  about: "log in to the context's server with a token of an operator, or through a browser",
  options: [consoleOption, deviceOption],
  notes:
    'Through a browser you sign in at the console and allow this program to act for you: for 12 hours at most, and until you sign out there. The address of the console is remembered.',
  run: async (invocation) => {
    const { options, io } = invocation;
    const address = await consoleOf(invocation);
    if (address === undefined) {
      const token = operatorToken(await givenToken('Token: ', invocation), options.tokenFile ?? 'the input');
      return await keep({ token }, invocation);
    }
    const { target } = await invocation.session();
    const { transport } = target;
    const caFile = transport.kind === 'tls' ? transport.caFile : undefined;
    const { loginByBrowser, loginByDevice } = await import('../browser-login.ts');
    const by = isGiven(invocation, deviceOption.flags) ? loginByDevice : loginByBrowser;
    const issued = await by({ base: address, caFile, timeoutMs: target.timeoutMs }, io);
    await keep({ ...issued, console: address.href }, invocation);
  },
  examples: [
    'login',
    'login < token',
    'login --server gateway.example.com:50051 --token-file token',
    'login --console https://gateway.example.com/console/',
    'login --console https://gateway.example.com/console/ --device',
  ],
};

/** The console at which to log in; undefined: with a token. At a terminal, a context that knows it uses it. */
async function consoleOf(invocation: Invocation): Promise<URL | undefined> {
  const { options, io } = invocation;
  const given = textOf(invocation, consoleOption.flags);
  const isDevice = isGiven(invocation, deviceOption.flags);
  const isByToken = options.tokenFile !== undefined || !(io.interactive || isDevice);
  const known = given ?? (isByToken ? undefined : chooseContext(options, io.env).context?.console);
  if (known === undefined && isDevice) {
    throw usageMistake('--device needs the address of the console: --console https://gateway.example.com/console/');
  }
  return known === undefined ? undefined : (await import('../console-api.ts')).consoleUrl(known);
}

export const whoami: Command = {
  about: 'show who the token is, at which server, and when it ends',
  run: async (invocation) => {
    const { io, options } = invocation;
    const session = await invocation.session();
    requireToken(session);
    const { caller } = await (await invocation.client()).call('Status.Get', {});
    if (caller === null) throw usageMistake('the server does not name its callers; upgrade the control plane');
    const { personId, name, organizationId, tokenEndsAt } = caller;
    const role = enumWord('Role', caller.role);
    const { server } = session.target;
    if (options.json === true) {
      return await printJson({ server, personId, name, role, organizationId, tokenEndsAt }, invocation);
    }
    await io.out(`${whoIs(caller)}\n`);
    await io.out(`server        ${server}\norganization  ${printable(organizationId ?? '-')}\n`);
  },
  examples: ['whoami', 'whoami --json'],
};

export const logout: Command = {
  about: "forget the context's token; one of a login through a browser is revoked too",
  notes: 'A token that was given works until it ends or is revoked: operator-tokens revoke.',
  run: async (invocation) => {
    const { io } = invocation;
    const config = readConfig(io.env);
    const name = invocation.options.context ?? (io.env.GATEWAYCTL_CONTEXT || config.current);
    const context = name === undefined ? undefined : config.contexts[name];
    if (name === undefined || context === undefined || !(context.token ?? context.keyring)) {
      return io.say('there is no token to forget');
    }
    const isRevoked = context.tokenId !== undefined && (await revoked(context.tokenId, invocation));
    const { token: _token, tokenId: _id, keyring, ...rest } = context;
    if (keyring === true) (await openKeyring())?.remove(context.server);
    writeConfig({ ...config, contexts: { ...config.contexts, [name]: rest } }, io.env);
    io.say(
      `the token of ${name} is forgotten here${isRevoked ? ' and revoked' : '; operator-tokens revoke ends it everywhere'}`,
    );
  },
  examples: ['logout'],
};

/** Whether the server has revoked it: one that is not reachable, or no longer knows the token, changes nothing here. */
async function revoked(id: string, invocation: Invocation): Promise<boolean> {
  try {
    await (await invocation.client()).call('OperatorTokens.Revoke', { id });
    return true;
  } catch (error) {
    if (error instanceof CallFailure) return false;
    throw error;
  }
}

export const bootstrap: Command = {
  about: 'make the first operator of the platform with the bootstrap token, once, and log in as them',
  arguments: [{ flags: '<name>', about: 'name of the first operator' }],
  options: [{ flags: '--email <address>', about: 'email address of the first operator' }],
  run: async (invocation) => {
    const text = (await givenToken('Bootstrap token: ', invocation)).trim();
    if (!isWellFormedCredential('bootstrap', text))
      throw usageMistake('the input is not a bootstrap token, which is gw-boot-… with 49 further characters');
    const session = await invocation.session();
    const { dial } = await import('../client.ts');
    const client = dial({ ...session.target, token: new Secret(text) });
    try {
      const email = textOf(invocation, '--email <address>');
      const name = textOf(invocation, '<name>') ?? '';
      const { token } = await client.call('OperatorTokens.Bootstrap', {
        name,
        ...(email !== undefined && { email }),
      });
      await keep({ token: new Secret(token) }, invocation);
    } finally {
      client.close();
    }
  },
  examples: ['bootstrap "Peter Platform"', 'bootstrap "Peter Platform" < bootstrap-token'],
};

async function givenToken(question: string, { io, options }: Invocation): Promise<string> {
  if (options.tokenFile !== undefined) return await readGiven(options.tokenFile, io);
  return io.interactive ? await io.askHidden(question) : await io.input();
}

interface LoggedIn {
  readonly token: Secret;
  /** Of a login through a browser. */
  readonly tokenId?: string;
  readonly console?: string;
}

/** Verifies the token with the server and saves it in the context, which is created if it does not exist. */
async function keep(login: LoggedIn, invocation: Invocation): Promise<void> {
  const { io } = invocation;
  const { token } = login;
  const session = await invocation.session();
  const { dial } = await import('../client.ts');
  const client = dial({ ...session.target, token });
  try {
    const { caller } = await client.call('Status.Get', {});
    const name = session.context ?? defaultContext;
    const inKeyring = login.tokenId !== undefined && (await storedInKeyring(session, token));
    const context = contextFor(session, { login, inKeyring, organization: caller?.organizationId });
    writeConfig(withContext(readConfig(io.env), name, context), io.env);
    io.say(`logged in to ${session.target.server}${caller === null ? '' : ` as ${whoIs(caller)}`}`);
    io.say(`the token is kept in ${inKeyring ? 'the keyring' : configPath(io.env)}`);
  } finally {
    client.close();
  }
}

function whoIs({ name, role, tokenEndsAt }: StatusCaller): string {
  return printable(`${name} (${enumWord('Role', role)}); the token ends at ${tokenEndsAt}`);
}

function contextFor(
  { target, organization }: Session,
  who: { readonly login: LoggedIn; readonly inKeyring: boolean; readonly organization: string | undefined },
): Context {
  const { server, transport } = target;
  const { token, ...rest } = who.login;
  const inUse = who.organization ?? organization;
  return {
    ...{ server, transport, ...rest },
    ...(who.inKeyring ? { keyring: true } : { token }),
    ...(inUse !== undefined && { organization: inUse }),
  };
}

async function storedInKeyring({ target }: Session, token: Secret): Promise<boolean> {
  return (await openKeyring())?.store(target.server, token.reveal()) ?? false;
}

function withContext({ current, contexts }: Config, name: string, context: Context): Config {
  const before = contexts[name];
  if (before !== undefined && before.server !== context.server)
    throw usageMistake(
      `the context ${name} leads to ${before.server}; add another one: gatewayctl context add <name> --server ${context.server}`,
    );
  // What a login does not know stays: the address of the proxy and of the console.
  const kept =
    before === undefined
      ? {}
      : { ...(before.url && { url: before.url }), ...(before.console && { console: before.console }) };
  return { current: current ?? name, contexts: { ...contexts, [name]: { ...kept, ...context } } };
}
