// Contexts: named servers with their connection settings.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Given, type Invocation, type Resource, textOf } from '../command.ts';
import { type Config, type Context, configPath, readConfig, writeConfig } from '../config.ts';
import { usageMistake } from '../failure.ts';
import { printJson } from '../print-response.ts';
import { printable } from '../table.ts';
import { chooseTransport, parseServer, transportText } from '../target.ts';
import { originOf } from './run.ts';

const name: Given = { flags: '<name>', about: 'its name' };

const proxyUrl: Given = {
  flags: '--url <url>',
  about: "the proxy's address, for commands that call it: chat, run, keys snippet",
};

export const contexts: Resource = {
  name: 'context',
  aliases: ['contexts'],
  about: 'servers by name; one of them is in use',
  commands: {
    add: {
      about: 'add a context and use it; --server, --ca-file and the like set its server',
      arguments: [name],
      options: [proxyUrl],
      run: add,
      examples: [
        'context add local --server 127.0.0.1:50051',
        'context add production --server gateway.example.com:50051 --ca-file ca.crt --organization acme',
        'context add cluster --server 127.0.0.1:50051 --ca-file ca.crt --server-name control-plane.model-gateway.svc',
      ],
    },
    list: { about: 'list contexts; a star marks the one in use', run: list, examples: ['context list'] },
    show: {
      about: 'show a context, never its token',
      arguments: [{ ...name, flags: '[name]' }],
      run: show,
      examples: ['context show', 'context show production --json'],
    },
    use: {
      about: 'use a context from now on',
      arguments: [name],
      run: use,
      examples: ['context use production'],
    },
    set: {
      about: "change the organization in use, or the proxy's address; '' means none",
      options: [proxyUrl],
      run: set,
      examples: ['context set --organization acme', 'context set --url https://gateway.example.com'],
    },
    remove: {
      about: 'remove a context and its token',
      arguments: [name],
      run: remove,
      examples: ['context remove production'],
    },
  },
};

async function add(invocation: Invocation): Promise<void> {
  const { options, io } = invocation;
  const config = readConfig(io.env);
  const added = nameOf(invocation);
  if (!/^[\w.-]{1,64}$/.test(added)) throw usageMistake('a context is named by 1 to 64 letters, digits, - _ and .');
  if (Object.hasOwn(config.contexts, added))
    throw usageMistake(`there is a context "${added}"; remove it first: gatewayctl context remove ${added}`);
  const { server, organization, caFile, serverName } = options;
  if (server === undefined) throw usageMistake('give its server: --server <host:port>');
  parseServer(server);
  if (caFile !== undefined && !existsSync(caFile)) throw usageMistake(`there is no file ${caFile}`);
  const transport = chooseTransport(server, {
    ...options,
    ...(caFile !== undefined && { caFile: resolve(caFile) }),
    ...(serverName !== undefined && { serverName }),
  });
  const url = givenOrigin(invocation);
  const context: Context = { server, transport, ...(organization && { organization }), ...(url && { url }) };
  writeConfig({ current: added, contexts: { ...config.contexts, [added]: context } }, io.env);
  io.say(`the context ${added} leads to ${server} (${transportText(transport)}) and is in use; now: gatewayctl login`);
}

async function list(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const config = readConfig(io.env);
  const shown = Object.entries(config.contexts).map(([one, context]) => ({
    name: one,
    inUse: one === config.current,
    ...withoutToken(context),
  }));
  if (options.json === true) return await printJson({ contexts: shown }, invocation);
  if (shown.length === 0) return io.say('none; add one: gatewayctl context add local --server 127.0.0.1:50051');
  const width = Math.max(...shown.map((context) => context.name.length));
  for (const { name: one, inUse, server, transport, loggedIn, organization } of shown) {
    const parts = [server, transport, loggedIn ? 'logged in' : 'not logged in', organization].filter(Boolean);
    await io.out(
      `${inUse ? '*' : ' '} ${one.padEnd(width)}  ${parts.map((part) => printable(String(part))).join('  ')}\n`,
    );
  }
}

async function show(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const config = readConfig(io.env);
  const one = textOf(invocation, '[name]') ?? options.context ?? config.current;
  const context = one === undefined ? undefined : config.contexts[one];
  if (one === undefined || context === undefined) throw noContext(one);
  const shown = { name: one, inUse: one === config.current, ...withoutToken(context) };
  if (options.json === true) return await printJson(shown, invocation);
  await io.out(
    `context       ${one}\nserver        ${context.server}\ntransport     ${transportText(context.transport)}\n`,
  );
  await io.out(
    `organization  ${printable(context.organization ?? '-')}\ntoken         ${context.token ? 'stored' : '-'}\n`,
  );
  if (context.url !== undefined) await io.out(`proxy         ${printable(context.url)}\n`);
  await io.out(`file          ${configPath(io.env)}\n`);
}

async function use(invocation: Invocation): Promise<void> {
  const { config, one } = existing(invocation);
  writeConfig({ ...config, current: one }, invocation.io.env);
  invocation.io.say(`the context ${one} is in use`);
}

async function set(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const config = readConfig(io.env);
  const one = options.context ?? config.current;
  const context = one === undefined ? undefined : config.contexts[one];
  if (one === undefined || context === undefined) throw noContext(one);
  const given = givenOrigin(invocation);
  if (options.organization === undefined && given === undefined)
    throw usageMistake('give the organization: --organization <name>, or the address of the proxy: --url <url>');
  const { organization: organizationBefore, url: urlBefore, ...rest } = context;
  const [organization, url] = [options.organization ?? organizationBefore, given ?? urlBefore];
  const changed: Context = { ...rest, ...(organization && { organization }), ...(url && { url }) };
  writeConfig({ ...config, contexts: { ...config.contexts, [one]: changed } }, io.env);
  if (options.organization !== undefined)
    io.say(`the context ${one} is about ${options.organization || 'no organization'}`);
  if (given !== undefined) io.say(`the context ${one} has ${given ? `the proxy ${given}` : 'no proxy'}`);
}

async function remove(invocation: Invocation): Promise<void> {
  const { config, one } = existing(invocation);
  const { [one]: _removed, ...contexts } = config.contexts;
  const current = config.current === one ? undefined : config.current;
  writeConfig({ ...(current !== undefined && { current }), contexts }, invocation.io.env);
  invocation.io.say(`the context ${one} is removed; its token works until it ends or is revoked`);
}

/** "" removes it; undefined: it was not given. @throws Failure */
function givenOrigin(invocation: Invocation): string | undefined {
  const text = textOf(invocation, proxyUrl.flags);
  return text === undefined || text === '' ? text : originOf(text, '--url');
}

function existing(invocation: Invocation): { readonly config: Config; readonly one: string } {
  const config = readConfig(invocation.io.env);
  const one = nameOf(invocation);
  if (!Object.hasOwn(config.contexts, one)) throw noContext(one);
  return { config, one };
}

function nameOf(invocation: Invocation): string {
  return textOf(invocation, name.flags) ?? '';
}

function noContext(one: string | undefined) {
  return usageMistake(
    one === undefined
      ? 'no context is in use; gatewayctl context list shows those there are'
      : `there is no context "${one}"; gatewayctl context list shows those there are`,
  );
}

function withoutToken({ server, transport, organization, url, token }: Context) {
  return { server, transport: transportText(transport), loggedIn: token !== undefined, organization, url };
}
