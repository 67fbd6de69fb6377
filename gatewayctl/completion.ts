// Shell completion, generated from the command table: a script that contains all words. It completes commands, options
// and values from small sets. For names, which are on the server, it calls this program, which prints nothing if it is
// not logged in or the server is slow.
import type { Command, Tree } from './command.ts';
import type { Noun } from './names.ts';
import { outputForms } from './output-form.ts';
import { choicesFor, optionsOf, rootOptions } from './program.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** Undefined for an unsupported shell. */
export function completionScript(shell: string, tree: Tree): string | undefined {
  if (shell === 'bash') return bashScript(tree);
  if (shell === 'zsh') return `${zshHead}${bashScript(tree)}`;
  return shell === 'fish' ? fishScript(tree) : undefined;
}

/** "provider key" is one word of a script. */
export function wordOfNoun(noun: Noun): string {
  return noun.replaceAll(' ', '-');
}

/** The kinds of names, by the preceding commands ("keys get") or option ("usage totals --key"). */
function nounsByPosition(tree: Tree): ReadonlyMap<string, Noun> {
  const nouns = new Map<string, Noun>();
  for (const [position, command] of positionsOf(tree)) {
    const [first] = command.arguments ?? [];
    if (first?.noun !== undefined) nouns.set(position, first.noun);
    for (const { flags, noun } of optionsOf(command))
      if (noun !== undefined) nouns.set(`${position} ${longFlag(flags)}`, noun);
  }
  return nouns;
}

/** Commands with their words, under every name. */
function positionsOf({ resources, commands }: Tree): readonly (readonly [string, Command])[] {
  return [
    ...resources.flatMap(({ name, aliases = [], commands: own }) =>
      [name, ...aliases].flatMap((one) =>
        Object.entries(own).map(([command, row]) => [`${one} ${command}`, row] as const),
      ),
    ),
    ...shownCommands(commands),
  ];
}

function shownCommands(commands: Tree['commands']): readonly (readonly [string, Command])[] {
  return Object.entries(commands).filter(([, { hidden }]) => hidden !== true);
}

/** The possible next words, by the preceding commands ("keys create") or option ("keys create --active"). */
function wordsByPosition(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const { resources, commands } = tree;
  const words = new Map<string, readonly string[]>();
  words.set('', [...resources.map(({ name }) => name), ...shownCommands(commands).map(([name]) => name)]);
  for (const { name, aliases = [], commands: own } of resources)
    for (const one of [name, ...aliases]) words.set(one, Object.keys(own));
  for (const [position, command] of positionsOf(tree)) {
    const values = (command.arguments ?? []).flatMap((given) => choicesFor(command, given) ?? []);
    words.set(position, [...values, ...optionsOf(command).map(({ flags }) => longFlag(flags))]);
    for (const given of optionsOf(command)) {
      const choices = choicesFor(command, given);
      if (choices !== undefined) words.set(`${position} ${longFlag(given.flags)}`, choices);
    }
  }
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
  return /--[\w-]+|^-\w/.exec(flags)?.[0] ?? flags;
}

/** Zsh can run bash completion functions. */
const zshHead = '#compdef gatewayctl\nautoload -U +X bashcompinit && bashcompinit\n';

function bashScript(tree: Tree): string {
  const rows = [...wordsByPosition(tree)].map(
    ([position, choices]) => `    '${position}') echo '${choices.join(' ')}' ;;`,
  );
  const nouns = [...nounsByPosition(tree)].map(([position, noun]) => `    '${position}') echo ${wordOfNoun(noun)} ;;`);
  return `# Completion of gatewayctl; source it.
_gatewayctl_words() {
  case "$1" in
${rows.join('\n')}
    *) return 1 ;;
  esac
}
_gatewayctl_noun() {
  case "$1" in
${nouns.join('\n')}
    *) return 1 ;;
  esac
}
_gatewayctl_names() {
  local name quoted
  while IFS= read -r name; do
    printf -v quoted '%q' "$name"
    case "$quoted" in "$2"*) COMPREPLY+=("$quoted") ;; esac
  done < <("\${COMP_WORDS[0]}" complete "$1" 2> /dev/null)
}
_gatewayctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" position='' word skip=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
      ${commonWithValue.join('|')}) skip=1 ;;
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
    -o) COMPREPLY=($(compgen -W "${outputForms.join(' ')}" -- "$current")); return ;;
    --organization) _gatewayctl_names organization "$current"; return ;;
    -*) if _gatewayctl_noun "$position $previous" > /dev/null; then
      _gatewayctl_names "$(_gatewayctl_noun "$position $previous")" "$current"; return; fi ;;
  esac
  case "$previous" in
    -*) if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$current")); return; fi ;;
  esac
  values="$(_gatewayctl_words "$position")"
  case "$current" in
    -*) values="$values ${commonFlags.join(' ')} --help" ;;
  esac
  COMPREPLY=($(compgen -W "$values" -- "$current"))
  case "$current" in
    -*) ;;
    *) _gatewayctl_noun "$position" > /dev/null && _gatewayctl_names "$(_gatewayctl_noun "$position")" "$current" ;;
  esac
}
complete -o default -F _gatewayctl gatewayctl
`;
}

function fishScript({ resources, commands }: Tree): string {
  const lines = [
    '# Completion of gatewayctl; source it.',
    'complete -c gatewayctl -f',
    ...rootOptions.map(
      ({ flags, about, choices }) =>
        `complete -c gatewayctl ${fishFlag(flags)}${choices === undefined ? '' : ` -a ${quoted(choices.join(' '))}`} -d ${quoted(about)}`,
    ),
  ];
  const first = "-n '__fish_use_subcommand'";
  const leaf = (condition: string, command: Command) => {
    const [named] = command.arguments ?? [];
    if (named?.noun !== undefined)
      lines.push(`complete -c gatewayctl -n ${quoted(condition)} -a ${quoted(fishNames(named.noun))}`);
    for (const given of command.arguments ?? []) {
      const choices = choicesFor(command, given);
      if (choices !== undefined)
        lines.push(`complete -c gatewayctl -n ${quoted(condition)} -a ${quoted(choices.join(' '))}`);
    }
    for (const given of optionsOf(command)) {
      const choices = choicesFor(command, given);
      const names = given.noun === undefined ? undefined : fishNames(given.noun);
      const offered = choices?.join(' ') ?? names;
      const values = offered === undefined ? '' : ` -xa ${quoted(offered)}`;
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
  for (const [name, command] of shownCommands(commands)) {
    lines.push(`complete -c gatewayctl ${first} -a ${name} -d ${quoted(command.about)}`);
    leaf(`__fish_seen_subcommand_from ${name}`, command);
  }
  return `${lines.join('\n')}\n`;
}

function fishNames(noun: Noun): string {
  return `(gatewayctl complete ${wordOfNoun(noun)} 2>/dev/null)`;
}

function fishFlag(flags: string): string {
  const short = /^-(\w)[, ]/.exec(flags)?.[1];
  const file = commonWithFile.includes(longFlag(flags));
  const long = /--([\w-]+)/.exec(flags)?.[1];
  return [short && `-s ${short}`, long && `-l ${long}`, flags.includes('<') && (file ? '-rF' : '-x')]
    .filter(Boolean)
    .join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
