// Builds a parser with help from the command rows (the only importer of commander).
import { Argument, CommanderError, InvalidArgumentError, Option, Command as Parser } from 'commander';
import { version } from '../common/version.ts';
import { methodTypes } from '../proto/json/contract.ts';
import type { Command, CommonOptions, Given, GivenValue, Tree } from './command.ts';
import { choicesOf } from './enum-names.ts';
import { type GivenOutput, outputForms, readOutput } from './output-form.ts';
import { isChange, isList } from './pages.ts';
import { fieldAt, takesSeveral } from './request.ts';

/** A parsed command line. */
export interface Parsed {
  readonly command: Command;
  readonly options: CommonOptions;
  readonly given: ReadonlyMap<Given, GivenValue>;
  /** The words after `--`, if the command takes them. */
  readonly rest: readonly string[];
  /** What to report on standard error before the command runs. */
  readonly warning?: string;
}

export interface ParserOutput {
  out(text: string): void;
  err(text: string): void;
}

/** The command line requested help, or was invalid; the output has already been written. */
export class ParserEnd extends Error {
  readonly isMistake: boolean;

  constructor(isMistake: boolean) {
    super('the parser has finished');
    this.isMistake = isMistake;
  }
}

/** @throws ParserEnd */
export async function parseCommandLine(args: readonly string[], tree: Tree, output: ParserOutput): Promise<Parsed> {
  return (await parseWithRest(args, tree)) ?? (await parseWords(args, tree, output));
}

/** Undefined if there is no `--`, or the command before it takes no further words: then `--` ends its options. */
async function parseWithRest(args: readonly string[], tree: Tree): Promise<Parsed | undefined> {
  const end = args.indexOf('--');
  if (end === -1) return undefined;
  const silent = { out: () => undefined, err: () => undefined };
  const parsed = await parseWords(args.slice(0, end), tree, silent).catch((error: unknown) => {
    if (error instanceof ParserEnd) return undefined;
    throw error;
  });
  const takesRest = parsed !== undefined && 'run' in parsed.command && parsed.command.rest !== undefined;
  return takesRest ? { ...parsed, rest: args.slice(end + 1) } : undefined;
}

async function parseWords(args: readonly string[], tree: Tree, output: ParserOutput): Promise<Parsed> {
  const found: Parsed[] = [];
  const meant = withHelpAsOption(args, tree);
  const root = createParser(tree, output, { words: meant, found: (parsed) => void found.push(parsed) });
  try {
    await root.parseAsync(meant, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new ParserEnd(error.exitCode !== 0);
    throw error;
  }
  const [parsed] = found;
  if (parsed === undefined) throw new ParserEnd(true);
  return parsed;
}

/**
 * Turns `help keys create` and `keys help create` into `keys create --help`. An unknown topic or command is left for the
 * parser to refuse.
 */
function withHelpAsOption(args: readonly string[], { resources, commands }: Tree): readonly string[] {
  const [first = '', name, command] = args;
  const resourceNamed = (word: string) => resources.find((one) => one.name === word || one.aliases?.includes(word));
  if (name === 'help' && resourceNamed(first) !== undefined) return [first, ...args.slice(2), '--help'];
  // A word after a command with arguments is one of them.
  if (name === 'help' && Object.hasOwn(commands, first) && commands[first]?.arguments === undefined)
    return [first, '--help'];
  if (first !== 'help') return args;
  if (name === undefined) return ['--help'];
  const resource = resourceNamed(name);
  if (resource === undefined) return Object.hasOwn(commands, name) ? [name, '--help'] : args;
  const isKnown = command === undefined || Object.hasOwn(resource.commands, command);
  return isKnown ? [...args.slice(1, 3), '--help'] : args.slice(1);
}

export const rootOptions: readonly Given[] = [
  {
    flags: '-o <form>',
    about: 'print a table, json, yaml, csv or name: for people, the whole response, rows with all fields, names alone',
    choices: outputForms,
  },
  { flags: '--json', about: 'the same as -o json' },
  { flags: '--organization <name>', about: "the organization, by name or id; default: the context's" },
  { flags: '--platform', about: 'the platform itself, no organization' },
  { flags: '-y, --yes', about: 'do not ask for confirmation of what cannot be undone' },
  { flags: '--context <name>', about: 'use this context; also GATEWAYCTL_CONTEXT' },
  { flags: '--server <host:port>', about: 'use this server; also GATEWAYCTL_SERVER' },
  {
    flags: '--token-file <file>',
    about: 'take the token from this file, - for standard input; also GATEWAYCTL_TOKEN',
  },
  {
    flags: '--token-exchange <file>',
    about: 'exchange the outside token in this file for a token of --service-account; also GATEWAY_OIDC_TOKEN_FILE',
  },
  { flags: '--service-account <id>', about: 'whose token the exchange gives; also GATEWAY_SERVICE_ACCOUNT' },
  { flags: '--tls', about: 'speak TLS; the default but to this machine' },
  { flags: '--ca-file <file>', about: "speak TLS and trust these authorities (PEM) instead of the system's" },
  {
    flags: '--server-name <name>',
    about: "the name in the server's certificate, where it is reached by another",
  },
  {
    flags: '--plaintext',
    about: 'speak without TLS, also to other machines: the token can be read on the way',
  },
  { flags: '--timeout <duration>', about: 'how long a call may take, such as 5s or 1m; default 15s' },
];

const listOptions: readonly Given[] = [
  { flags: '--limit <number>', about: 'show at most so many; default 1000' },
  { flags: '--all', about: 'show all there are' },
];

const fileOption: Given = {
  flags: '--file <file>',
  about: "the request's fields as JSON, as the JSON API takes them, - for standard input; options go before it",
};

const dryRunOption: Given = {
  flags: '--dry-run',
  about:
    'print the request and do not send it; names are looked up and fields are read, but only the server finds other mistakes',
};

/** Options that are read by their names, in CommonOptions. */
const optionsApart: readonly Given[] = [fileOption, dryRunOption, ...listOptions];

/** All options of a command except those that every command has. */
export function optionsOf(command: Command): readonly Given[] {
  const own = command.options ?? [];
  if (!('method' in command)) return own;
  return [
    ...own,
    ...(command.file === true ? [fileOption] : []),
    ...(isChange(command.method) ? [dryRunOption] : []),
    ...(isList(command.method) ? listOptions : []),
  ];
}

/** The accepted values, if they form a small set. */
export function choicesFor(command: Command, given: Given): readonly string[] | undefined {
  if (given.choices !== undefined) return given.choices;
  if (!('method' in command) || given.field === undefined || given.read !== undefined) return undefined;
  const { type } = fieldAt(methodTypes(command.method).requestType, given.field);
  if (type === 'bool' && given.flags.includes('<')) return ['true', 'false'];
  return choicesOf(type);
}

interface Parsing {
  /** Commands of resources that none of these names are not defined: defining all takes most of the parser's time. */
  readonly words: readonly string[];
  found(parsed: Parsed): void;
}

function createParser(tree: Tree, output: ParserOutput, { words, found }: Parsing): Parser {
  const root = new Parser('gatewayctl');
  const styled = (parser: Parser) =>
    parser
      .exitOverride()
      .configureOutput({ writeOut: output.out, writeErr: output.err })
      .configureHelp({ showGlobalOptions: true, helpWidth: 110 })
      .showHelpAfterError('(--help lists commands and options)');
  styled(root)
    .description('Everything operators of a model gateway do, from the command line.')
    .version(version, '--version', 'print the version of this program')
    .helpCommand(false)
    .addHelpText('after', '\nExit codes and the environment: gatewayctl help exit-codes, gatewayctl help environment');
  for (const option of rootOptions) root.addOption(new Option(option.flags, option.about));
  root.commandsGroup('Resources:');
  for (const resource of tree.resources) {
    const group = styled(root.command(resource.name)).description(resource.about).helpCommand(false);
    if (resource.aliases) group.aliases(resource.aliases);
    if (![resource.name, ...(resource.aliases ?? [])].some((name) => words.includes(name))) continue;
    for (const [name, command] of Object.entries(resource.commands))
      addCommand(styled(group.command(name)), command, found);
  }
  root.commandsGroup('This program:');
  for (const [name, command] of Object.entries(tree.commands))
    addCommand(styled(root.command(name, { hidden: command.hidden === true })), command, found);
  return root;
}

function addCommand(parser: Parser, command: Command, found: (parsed: Parsed) => void): void {
  parser.description(command.about);
  if ('run' in command && command.rest !== undefined) parser.usage(`${usageOf(command)} [-- ${command.rest}]`);
  const args = command.arguments ?? [];
  for (const given of args) {
    const argument = new Argument(given.flags, given.about);
    const choices = choicesFor(command, given);
    parser.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  const options = optionsOf(command).map((given) => ({ given, option: optionFor(command, given) }));
  for (const { option } of options) parser.addOption(option);
  const { examples, notes } = command;
  const after = [notes && `\n${notes}`, '\nExamples:', ...examples.map((line) => `  gatewayctl ${line}`)];
  parser.addHelpText('after', after.filter(Boolean).join('\n'));
  parser.action((...actual: unknown[]) => {
    const values = parser.opts<Record<string, GivenValue | false>>();
    const given = new Map<Given, GivenValue>();
    args.forEach((one, index) => {
      const value = actual[index];
      if (typeof value === 'string') given.set(one, value);
    });
    for (const { given: one, option } of options) {
      const value = typedValue(option, values);
      if (value !== undefined && !optionsApart.includes(one)) given.set(one, value);
    }
    found({ command, given, rest: [], ...commonOptions(parser) });
  });
}

/** The parser has `--no-test` as an option `test` that is true unless it is given. */
function typedValue(option: Option, values: Readonly<Record<string, GivenValue | false>>): GivenValue | undefined {
  const value = values[option.attributeName()];
  if (option.negate) return value === false ? true : undefined;
  return value === false ? undefined : value;
}

/** @throws CommanderError for options that exclude each other */
function commonOptions(parser: Parser): Pick<Parsed, 'options' | 'warning'> {
  const { o, ...options } = parser.optsWithGlobals<Omit<CommonOptions, 'form' | 'json'> & GivenOutput>();
  try {
    const { form, organization, warning } = readOutput({ o, ...options });
    return {
      options: { ...options, form, json: form !== 'table', ...(organization !== undefined && { organization }) },
      ...(warning !== undefined && { warning }),
    };
  } catch (error) {
    return parser.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function usageOf({ arguments: args = [] }: Command): string {
  return ['[options]', ...args.map(({ flags }) => flags)].join(' ');
}

function optionFor(command: Command, given: Given): Option {
  const option = new Option(given.flags, given.about);
  const choices = choicesFor(command, given);
  if (given.required === true) option.makeOptionMandatory();
  const several = isSeveral(command, given);
  if (choices !== undefined && several) {
    const all = [...choices, ...(given.orLike === undefined ? [] : [given.orLike.about])].join(', ');
    option.description += ` (choices: ${all}; several by commas)`;
    return option.argParser((text: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      ...text.split(',').map((one) => oneOf(one, { choices, all, pattern: given.orLike?.pattern })),
    ]);
  }
  if (choices !== undefined) return option.choices(choices);
  if (!several) return option;
  return option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
}

function isSeveral(command: Command, given: Given): boolean {
  if (given.several === true) return true;
  if (!('method' in command) || given.field === undefined) return false;
  return takesSeveral(fieldAt(methodTypes(command.method).requestType, given.field));
}

interface Allowed {
  readonly choices: readonly string[];
  /** The choices as text. */
  readonly all: string;
  readonly pattern: RegExp | undefined;
}

function oneOf(text: string, { choices, all, pattern }: Allowed): string {
  if (text === '' || choices.includes(text) || pattern?.test(text) === true) return text;
  throw new InvalidArgumentError(`Allowed choices are ${all}.`);
}
