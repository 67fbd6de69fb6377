// Shell completion, generated from the command table: a script that contains all words and calls nothing. It completes
// commands, options and values from small sets. It does not complete names, which are on the server, because pressing
// Tab must not log in anywhere.
import type { Command, Tree } from './command.ts';
import { choicesFor, optionsOf, rootOptions } from './program.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** Undefined for an unsupported shell. */
export function completionScript(shell: string, tree: Tree): string | undefined {
  if (shell === 'bash') return bashScript(wordsByPosition(tree));
  if (shell === 'zsh') return `${zshHead}${bashScript(wordsByPosition(tree))}`;
  return shell === 'fish' ? fishScript(tree) : undefined;
}

/** The possible next words, by the preceding commands ("keys create") or option ("keys create --active"). */
function wordsByPosition({ resources, commands }: Tree): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  const leaf = (position: string, command: Command) => {
    const values = (command.arguments ?? []).flatMap((given) => choicesFor(command, given) ?? []);
    words.set(position, [...values, ...optionsOf(command).map(({ flags }) => longFlag(flags))]);
    for (const given of optionsOf(command)) {
      const choices = choicesFor(command, given);
      if (choices !== undefined) words.set(`${position} ${longFlag(given.flags)}`, choices);
    }
  };
  words.set('', [...resources.map(({ name }) => name), ...Object.keys(commands)]);
  for (const { name, aliases = [], commands: own } of resources) {
    for (const one of [name, ...aliases]) {
      words.set(one, Object.keys(own));
      for (const [commandName, command] of Object.entries(own)) leaf(`${one} ${commandName}`, command);
    }
  }
  for (const [name, command] of Object.entries(commands)) leaf(name, command);
  return words;
}

const commonFlags = rootOptions.map(({ flags }) => longFlag(flags));
const commonWithValue = rootOptions.filter(({ flags }) => flags.includes('<')).map(({ flags }) => longFlag(flags));
const commonWithFile = [
  '--token-file',
  '--ca-file',
  '--secret-file',
  '--text-file',
  '--key-file',
  '--output',
  '--file',
];

function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Zsh can run bash completion functions. */
const zshHead = '#compdef gatewayctl\nautoload -U +X bashcompinit && bashcompinit\n';

function bashScript(words: ReadonlyMap<string, readonly string[]>): string {
  const rows = [...words].map(([position, choices]) => `    '${position}') echo '${choices.join(' ')}' ;;`);
  return `# Completion of gatewayctl; source it.
_gatewayctl_words() {
  case "$1" in
${rows.join('\n')}
    *) return 1 ;;
  esac
}
_gatewayctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" position='' word skip=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
      ${commonWithValue.join('|')}|-o) skip=1 ;;
      -*) ;;
      *) _gatewayctl_words "$position\${position:+ }$word" > /dev/null && position="$position\${position:+ }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
    ${commonWithFile.join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  local values="$(_gatewayctl_words "$position $previous")"
  case "$previous" in
    -*) if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$current")); return; fi ;;
  esac
  values="$(_gatewayctl_words "$position")"
  case "$current" in
    -*) values="$values ${commonFlags.join(' ')} --help" ;;
  esac
  COMPREPLY=($(compgen -W "$values" -- "$current"))
}
complete -o default -F _gatewayctl gatewayctl
`;
}

function fishScript({ resources, commands }: Tree): string {
  const lines = [
    '# Completion of gatewayctl; source it.',
    'complete -c gatewayctl -f',
    ...rootOptions.map(({ flags, about }) => `complete -c gatewayctl ${fishFlag(flags)} -d ${quoted(about)}`),
  ];
  const first = "-n '__fish_use_subcommand'";
  const leaf = (condition: string, command: Command) => {
    for (const given of command.arguments ?? []) {
      const choices = choicesFor(command, given);
      if (choices !== undefined)
        lines.push(`complete -c gatewayctl -n ${quoted(condition)} -a ${quoted(choices.join(' '))}`);
    }
    for (const given of optionsOf(command)) {
      const choices = choicesFor(command, given);
      const values = choices === undefined ? '' : ` -xa ${quoted(choices.join(' '))}`;
      lines.push(
        `complete -c gatewayctl -n ${quoted(condition)} ${fishFlag(given.flags)}${values} -d ${quoted(given.about)}`,
      );
    }
  };
  for (const { name, about, commands: own } of resources) {
    lines.push(`complete -c gatewayctl ${first} -a ${name} -d ${quoted(about)}`);
    const within = `__fish_seen_subcommand_from ${name}`;
    const names = Object.keys(own).join(' ');
    for (const [commandName, command] of Object.entries(own)) {
      const none = `${within}; and not __fish_seen_subcommand_from ${names}`;
      lines.push(`complete -c gatewayctl -n ${quoted(none)} -a ${commandName} -d ${quoted(command.about)}`);
      leaf(`${within}; and __fish_seen_subcommand_from ${commandName}`, command);
    }
  }
  for (const [name, command] of Object.entries(commands)) {
    lines.push(`complete -c gatewayctl ${first} -a ${name} -d ${quoted(command.about)}`);
    leaf(`__fish_seen_subcommand_from ${name}`, command);
  }
  return `${lines.join('\n')}\n`;
}

function fishFlag(flags: string): string {
  const short = /^-(\w),/.exec(flags)?.[1];
  const file = commonWithFile.includes(longFlag(flags));
  return [short && `-s ${short}`, `-l ${longFlag(flags).slice(2)}`, flags.includes('<') && (file ? '-rF' : '-x')]
    .filter(Boolean)
    .join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
