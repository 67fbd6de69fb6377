// Facts about the program itself: version, exit codes, the environment, completion.
import { version as ownVersion } from '../../common/version.ts';
import { defaultUrl, keyVariable, urlVariable } from '../clients/index.ts';
import { type Command, type Given, type Invocation, textOf } from '../command.ts';
import { completionScript, shells, wordOfNoun } from '../completion.ts';
import { exitCodes, usageMistake } from '../failure.ts';
import { nouns } from '../names.ts';
import { printJson } from '../print-response.ts';
import { chooseContext } from '../session.ts';
import { printable, renderFields } from '../table.ts';

const environment = {
  GATEWAYCTL_CONTEXT: 'the context to use',
  GATEWAYCTL_SERVER: 'the server, host:port; without TLS to this machine only',
  GATEWAYCTL_TOKEN: 'the token, for where there is no configuration, such as CI',
  GATEWAY_SERVICE_ACCOUNT: 'the id of the service account whose token an exchange gives',
  GATEWAY_OIDC_TOKEN_FILE: 'the outside token that is exchanged, such as a projected token of Kubernetes',
  GATEWAY_OIDC_AUDIENCE: 'the audience of the token that GitHub Actions gives; default model-gateway',
  OPENAI_ADMIN_KEY: 'the key with which reconcile import openai reads usage and costs; it is sent to OpenAI only',
  ANTHROPIC_ADMIN_KEY: 'the same for reconcile import anthropic',
  [keyVariable]: 'the virtual key for run; blocks of keys snippet read it too',
  [urlVariable]: `the address of the proxy for run and keys snippet; default ${defaultUrl}`,
  GATEWAYCTL_CONFIG: 'the configuration file; default: gatewayctl/config.json in XDG_CONFIG_HOME or ~/.config',
} as const;

const topics: Readonly<Record<string, () => readonly (readonly [string, string])[]>> = {
  'exit-codes': () => Object.values(exitCodes).map(({ code, about }) => [String(code), about]),
  environment: () => Object.entries(environment),
};

const clientOnly: Given = { flags: '--client', about: "this program's alone" };

export const version: Command = {
  about: "print this program's version, and the server's where one is known",
  options: [clientOnly],
  run: async (invocation) => {
    const { io, options } = invocation;
    const server = invocation.given.has(clientOnly) ? undefined : await serverVersion(invocation);
    if (options.json === true) return await printJson({ gatewayctl: ownVersion, server }, invocation);
    await io.out(`gatewayctl ${ownVersion}\n`);
    if (server !== undefined) await io.out(`server     ${printable(server)}\n`);
  },
  examples: ['version', 'version --client'],
};

/** Undefined if the user has not logged in anywhere. */
async function serverVersion(invocation: Invocation): Promise<string | undefined> {
  const { options, io } = invocation;
  const known = options.server ?? io.env.GATEWAYCTL_SERVER ?? chooseContext(options, io.env).context;
  if (!known || (await invocation.session()).target.token === undefined) return undefined;
  const client = await invocation.client();
  return (await client.call('Status.Get', {})).version;
}

export const status: Command = {
  method: 'Status.Get',
  about:
    'show the replica that responds: its version, clock and feed, and the caller; to operators of the platform its proxies',
  // More than a hundred names, which --json has.
  render: (response) => renderFields('GetStatusResponse', { ...response, permissions: undefined }),
  examples: ['status', 'status --json'],
};

export const help: Command = {
  about: 'explain exit codes, the environment, or a command, as --help does',
  arguments: [{ flags: '[topic]', about: 'what to explain', choices: Object.keys(topics) }],
  run: async (invocation) => {
    const rows = topics[textOf(invocation, '[topic]') ?? '']?.() ?? [];
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, about] of rows) await invocation.io.out(`${name.padEnd(width)}  ${about}\n`);
  },
  notes: 'gatewayctl help keys, gatewayctl help keys create and the like explain commands.',
  examples: ['help exit-codes', 'help environment'],
};

export const completion: Command = {
  about: 'print a script that completes commands and options in your shell',
  arguments: [{ flags: '<shell>', about: 'bash, zsh or fish', choices: shells }],
  run: async (invocation: Invocation) => {
    const script = completionScript(textOf(invocation, '<shell>') ?? '', invocation.tree);
    if (script === undefined)
      throw usageMistake(`there is no completion for this shell; there is for ${shells.join(', ')}`);
    await invocation.io.out(script);
  },
  notes: [
    'bash: source <(gatewayctl completion bash)      in ~/.bashrc',
    'zsh:  source <(gatewayctl completion zsh)       in ~/.zshrc, after compinit',
    'fish: gatewayctl completion fish | source       in ~/.config/fish/config.fish',
    'Names of keys, systems, people and the like come from the server in use, and are kept for ten seconds.',
  ].join('\n'),
  examples: ['completion bash', 'completion zsh > ~/.zfunc/_gatewayctl'],
};

/** Called by the scripts of completion. */
export const complete: Command = {
  about: 'print the names that an argument can have, one a line',
  hidden: true,
  arguments: [{ flags: '<kind>', about: 'of what', choices: nouns.map(wordOfNoun) }],
  run: async (invocation) => {
    const word = textOf(invocation, '<kind>');
    const noun = nouns.find((one) => wordOfNoun(one) === word);
    const { completedNames } = await import('../completed-names.ts');
    const names = noun === undefined ? [] : await completedNames(noun, invocation);
    await invocation.io.out(names.map((name) => `${name}\n`).join(''));
  },
  examples: ['complete key'],
};
