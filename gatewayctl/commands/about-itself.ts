// What the program says of itself: version, exit codes, the environment, completion.
import { version as ownVersion } from '../../common/version.ts';
import { printJson } from '../answer.ts';
import { completionScript, shells } from '../completion.ts';
import { exitCodes, usageMistake } from '../failure.ts';
import { type Command, type Invocation, textOf } from './command.ts';

const environment = {
  GATEWAYCTL_CONTEXT: 'the context to use',
  GATEWAYCTL_SERVER: 'the server, host:port; without TLS to this machine only',
  GATEWAYCTL_TOKEN: 'the token, for where there is no configuration, such as CI',
  GATEWAYCTL_CONFIG:
    'the configuration file; default: gatewayctl/config.json in XDG_CONFIG_HOME or ~/.config',
} as const;

const topics: Readonly<Record<string, () => readonly (readonly [string, string])[]>> = {
  'exit-codes': () => Object.values(exitCodes).map(({ code, about }) => [String(code), about]),
  environment: () => Object.entries(environment),
};

export const version: Command = {
  about: "print this program's version",
  run: async (invocation) => {
    const { io, options } = invocation;
    if (options.json === true) return await printJson({ gatewayctl: ownVersion }, invocation);
    await io.out(`gatewayctl ${ownVersion}\n`);
  },
  examples: ['version'],
};

export const help: Command = {
  about: 'explain exit codes or the environment; --help says what a command does',
  arguments: [{ flags: '<topic>', about: 'what to explain', choices: Object.keys(topics) }],
  run: async (invocation) => {
    const rows = topics[textOf(invocation, '<topic>') ?? '']?.() ?? [];
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, about] of rows) await invocation.io.out(`${name.padEnd(width)}  ${about}\n`);
  },
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
  ].join('\n'),
  examples: ['completion bash', 'completion zsh > "${fpath[1]}/_gatewayctl"'],
};
