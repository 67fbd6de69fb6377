// Log in and log out. A token is saved only after the server has accepted it. It comes from a hidden prompt, standard
// input or a file, never from the command line.
import { isWellFormedCredential } from '../../common/credential.ts';
import { Secret } from '../../common/secret.ts';
import type { StatusCaller__Output as StatusCaller } from '../../proto/generated/gateway/v1/StatusCaller.ts';
import { enumWord } from '../../proto/json/contract.ts';
import { type Command, type Invocation, textOf } from '../command.ts';
import { type Config, type Context, configPath, readConfig, writeConfig } from '../config.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { operatorToken, type Session } from '../session.ts';
import { printable } from '../table.ts';

const defaultContext = 'default';

export const login: Command = {
  about: "log in to the context's server with a token of an operator, from the prompt or standard input",
  run: async (invocation) => {
    const { options } = invocation;
    const token = operatorToken(await givenToken('Token: ', invocation), options.tokenFile ?? 'the input');
    await keep(token, invocation);
  },
  examples: ['login', 'login < token', 'login --server gateway.example.com:50051 --token-file token'],
};

export const logout: Command = {
  about: "forget the context's token; it works until it ends or is revoked",
  run: async (invocation) => {
    const { io } = invocation;
    const config = readConfig(io.env);
    const name = invocation.options.context ?? (io.env.GATEWAYCTL_CONTEXT || config.current);
    const context = name === undefined ? undefined : config.contexts[name];
    if (name === undefined || context?.token === undefined) return io.say('there is no token to forget');
    const { token: _token, ...rest } = context;
    writeConfig({ ...config, contexts: { ...config.contexts, [name]: rest } }, io.env);
    io.say(`the token of ${name} is forgotten here; operator-tokens revoke ends it everywhere`);
  },
  examples: ['logout'],
};

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
      await keep(new Secret(token), invocation);
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

/** Verifies the token with the server and saves it in the context, which is created if it does not exist. */
async function keep(token: Secret, invocation: Invocation): Promise<void> {
  const { io } = invocation;
  const session = await invocation.session();
  const { dial } = await import('../client.ts');
  const client = dial({ ...session.target, token });
  try {
    const { caller } = await client.call('Status.Get', {});
    const name = session.context ?? defaultContext;
    const context = contextFor(session, { token, organization: caller?.organizationId });
    writeConfig(withContext(readConfig(io.env), name, context), io.env);
    io.say(`logged in to ${session.target.server}${caller === null ? '' : ` as ${whoIs(caller)}`}`);
    io.say(`the token is kept in ${configPath(io.env)}`);
  } finally {
    client.close();
  }
}

function whoIs({ name, role, tokenEndsAt }: StatusCaller): string {
  return printable(`${name} (${enumWord('Role', role)}); the token ends at ${tokenEndsAt}`);
}

function contextFor(
  { target, organization }: Session,
  who: { readonly token: Secret; readonly organization: string | undefined },
): Context {
  const { server, transport } = target;
  const inUse = who.organization ?? organization;
  return { server, transport, token: who.token, ...(inUse !== undefined && { organization: inUse }) };
}

function withContext({ current, contexts }: Config, name: string, context: Context): Config {
  const before = contexts[name];
  if (before !== undefined && before.server !== context.server)
    throw usageMistake(
      `the context ${name} leads to ${before.server}; add another one: gatewayctl context add <name> --server ${context.server}`,
    );
  return { current: current ?? name, contexts: { ...contexts, [name]: context } };
}
