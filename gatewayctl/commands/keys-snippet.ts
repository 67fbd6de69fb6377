// `gatewayctl keys snippet`: what to paste so that a client uses the gateway with a key. The key's value was shown when
// it was created and is stored nowhere, so a block names the environment variable that contains it.
import { isObject } from '../../common/json.ts';
import { blocksText, type ClientName, clientNames, clients, keyVariable } from '../clients/index.ts';
import { type Command, type Given, type Invocation, type Request, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { idOf } from '../names.ts';
import { organizationInUse } from '../organization.ts';
import { printJson } from '../print-response.ts';
import { requireToken } from '../session.ts';
import { printable } from '../table.ts';
import { gatewayUrl, givenUrl } from './run.ts';

const client = {
  flags: '--client <name>',
  about: 'the client that shall use the key; without it, all are listed',
  choices: clientNames,
};
const model = {
  flags: '--model <model>',
  about: 'the model, as the gateway calls it; default: the one that the key may call, else an example',
};

export const snippet: Command = {
  about: 'print what to paste so that a client uses the gateway with a key, never the key',
  arguments: [{ flags: '[key]', about: 'id or name; it is looked up, so that its models are respected' }],
  options: [client, model, gatewayUrl],
  run: printSnippet,
  notes: `The blocks read the key from ${keyVariable}; keys create and keys rotate print its value, once.`,
  examples: [
    'keys snippet',
    'keys snippet checkout --client openai-python',
    'keys snippet checkout --client codex --url https://gateway.example.com --model assistant-provider/claude-sonnet-4-5',
  ],
};

async function printSnippet(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const name = chosenClient(invocation);
  if (name === undefined) return await listClients(invocation);
  const row = clients[name];
  const wish = {
    url: givenUrl(invocation),
    model: textOf(invocation, model.flags) ?? (await modelOfKey(invocation)) ?? row.model,
    keyName: keyVariable,
  };
  const blocks = row.blocks(wish);
  if (options.json === true) return await printJson({ client: name, ...wish, blocks, note: row.note }, invocation);
  if (row.note !== undefined) io.say(row.note);
  await io.out(blocksText(blocks));
}

/** Options of a command that creates a key. */
export const usedBy: readonly Given[] = [
  { ...client, about: 'also print what to paste into this client, on standard error; see keys snippet' },
  gatewayUrl,
];

/**
 * Before a key is created, because its value is shown only once.
 * @throws Failure if what to paste could not be printed then
 */
export function checkUse(request: Request, invocation: Invocation): Request {
  if (chosenClient(invocation) !== undefined) givenUrl(invocation);
  return request;
}

/** How a client uses the key that was created. */
export function sayUse(response: object, invocation: Invocation): void {
  const { io, options } = invocation;
  const { name, id, allowedModels } = createdKey(response);
  const chosen = chosenClient(invocation);
  if (chosen === undefined) {
    if (options.json !== true) io.say(usualHint(/^[\w.-]+$/.test(name) ? name : id));
    return;
  }
  const row = clients[chosen];
  const wish = { url: givenUrl(invocation), model: namedModel(allowedModels) ?? row.model, keyName: keyVariable };
  if (row.note !== undefined) io.say(row.note);
  io.say(blocksText(row.blocks(wish)).trimEnd());
}

function usualHint(key: string): string {
  const paste = `gatewayctl keys snippet ${printable(key)} --client <name> prints what to paste`;
  return `Put it into ${keyVariable}. ${paste}; gatewayctl run <agent> starts a coding agent.`;
}

function chosenClient(invocation: Invocation): ClientName | undefined {
  return textOf(invocation, client.flags) as ClientName | undefined;
}

interface CreatedKey {
  readonly name: string;
  readonly id: string;
  readonly allowedModels: readonly string[];
}

function createdKey({ virtualKey }: { readonly virtualKey?: unknown }): CreatedKey {
  const { name, id, allowedModels } = isObject(virtualKey) ? virtualKey : {};
  return {
    name: String(name),
    id: String(id),
    allowedModels: Array.isArray(allowedModels) ? allowedModels.map(String) : [],
  };
}

/** The first model that an allow-list names exactly. */
function namedModel(allowedModels: readonly string[]): string | undefined {
  return allowedModels.find((glob) => !/[*?[{]/.test(glob));
}

async function listClients(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const listed = clientNames.map((name) => ({ name, title: clients[name].title, format: clients[name].format }));
  if (options.json === true) return await printJson({ clients: listed }, invocation);
  const width = Math.max(...clientNames.map(({ length }) => length));
  for (const { name, title, format } of listed) await io.out(`${name.padEnd(width)}  ${title} (${format})\n`);
}

/** The first model that the key's list names exactly; undefined without a key, or if it may call any. */
async function modelOfKey(invocation: Invocation): Promise<string | undefined> {
  const text = textOf(invocation, '[key]');
  if (text === undefined) return undefined;
  requireToken(await invocation.session());
  const connection = await invocation.client();
  const id = await idOf('key', text, connection, () => organizationInUse(invocation));
  const { status, allowedModels } = await connection.call('VirtualKeys.Get', { id });
  if (status === 'KEY_STATUS_REVOKED') throw usageMistake(`the key ${text} is revoked`);
  return namedModel(allowedModels);
}
