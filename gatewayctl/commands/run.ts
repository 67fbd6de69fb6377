// `gatewayctl run`: a coding agent that uses the gateway, with its settings in environment and arguments. No file of the
// user's is read or written. The key comes from the environment or a file, because others can read command lines.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Secret } from '../../common/secret.ts';
import { type Agent, type AgentName, agents, type Launch } from '../clients/agents.ts';
import { defaultUrl, gatewayOrigin, keyVariable, urlVariable } from '../clients/index.ts';
import { type Command, type Given, type Invocation, textOf } from '../command.ts';
import { configPath } from '../config.ts';
import { usageMistake } from '../failure.ts';
import { type Io, readGiven } from '../io.ts';
import { chooseContext } from '../session.ts';
import { virtualKeyFrom } from '../virtual-key.ts';

export const gatewayUrl: Given = {
  flags: '--url <url>',
  about: `the proxy's address; also ${urlVariable}, or the context's; default ${defaultUrl}`,
};
const keyFile: Given = { flags: '--key-file <file>', about: 'take the virtual key from this file' };
const keyEnvironment: Given = {
  flags: '--key-env <name>',
  about: `take the virtual key from this environment variable; default ${keyVariable}`,
};

export const run: Command = {
  about: 'start a coding agent that uses the gateway; nothing of yours is changed',
  arguments: [{ flags: '<agent>', about: 'which agent', choices: Object.keys(agents) }],
  options: [
    { flags: '--model <model>', about: "the model, as the gateway calls it; default: the agent's own" },
    { flags: '--small-model <model>', about: 'for titles, summaries and the like; default: the same model' },
    gatewayUrl,
    keyFile,
    keyEnvironment,
  ],
  rest: "the agent's own arguments",
  run: runAgent,
  notes: [
    'The exit code is that of the agent; signals reach it. Its home and its own settings stay in force, except Gemini CLI’s,',
    "which gets a home of its own beside gatewayctl's configuration.",
  ].join('\n'),
  examples: [
    'run claude --model gpt-provider/gpt-4.1-mini',
    'run codex --model assistant-provider/claude-sonnet-4-5 -- exec "fix the failing test"',
    'run gemini --model assistant-provider/claude-sonnet-4-5 --key-file key -- -p "explain this folder"',
    'run opencode --model search-provider/gemini-2.5-pro --small-model gpt-provider/gpt-4o-mini',
  ],
};

async function runAgent(invocation: Invocation): Promise<number> {
  const { io, rest } = invocation;
  const agent: Agent = agents[(textOf(invocation, '<agent>') ?? '') as AgentName];
  const [model, smallModel] = [textOf(invocation, '--model <model>'), textOf(invocation, '--small-model <model>')];
  if (model === undefined && (agent.needsModel === true || smallModel !== undefined))
    throw usageMistake(`name the model that ${agent.program} shall use: --model <provider>/<model>`);
  const key = await givenKey(invocation);
  const launched = agent.launch({
    url: givenUrl(invocation),
    keyName: keyVariable,
    home: dirname(configPath(io.env)),
    ...(model !== undefined && { model }),
    ...(smallModel !== undefined && { smallModel }),
  });
  if (launched.file !== undefined) writeOnce(launched.file);
  const { program, install } = agent;
  const { launch } = await import('../launch.ts');
  return await launch({
    ...{ program, install },
    args: [...launched.args, ...rest],
    env: environmentOf(launched, key, io.env),
  });
}

function environmentOf({ env, keyNames, without }: Launch, key: Secret, given: NodeJS.ProcessEnv) {
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !without.includes(name)));
  return { ...rest, ...env, ...Object.fromEntries(keyNames.map((name) => [name, key.reveal()])) };
}

/** @throws Failure */
export function givenUrl(invocation: Invocation): string {
  const { io, options } = invocation;
  const fromOption = textOf(invocation, gatewayUrl.flags);
  const fromEnvironment = io.env[urlVariable] || undefined;
  const name = fromOption === undefined ? urlVariable : gatewayUrl.flags.replace(/ .*/, '');
  const given = fromOption ?? fromEnvironment;
  return given === undefined ? (chooseContext(options, io.env).context?.url ?? defaultUrl) : originOf(given, name);
}

/** @param name of what contains the text. @throws Failure */
export function originOf(text: string, name: string): string {
  try {
    return gatewayOrigin(text);
  } catch (error) {
    throw usageMistake(`${name} ${error instanceof Error ? error.message : ''}`);
  }
}

async function givenKey(invocation: Invocation): Promise<Secret> {
  const { io } = invocation;
  const file = textOf(invocation, keyFile.flags);
  const name = textOf(invocation, keyEnvironment.flags);
  if (file !== undefined && name !== undefined) throw usageMistake('--key-file excludes --key-env; keep one of them');
  return file === undefined
    ? virtualKeyFrom(io.env[name ?? keyVariable], name ?? keyVariable)
    : await keyOfFile(file, io);
}

async function keyOfFile(file: string, io: Io): Promise<Secret> {
  // Standard input is the agent's.
  if (file === '-') throw usageMistake('--key-file must be a file: standard input belongs to the agent');
  return virtualKeyFrom(await readGiven(file, io), file);
}

/** The agent may change the file afterwards. */
function writeOnce({ path, text }: { readonly path: string; readonly text: string }): void {
  if (existsSync(path)) return;
  try {
    if (mkdirSync(dirname(path), { recursive: true, mode: 0o700 }) !== undefined) chmodSync(dirname(path), 0o700);
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw usageMistake(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
