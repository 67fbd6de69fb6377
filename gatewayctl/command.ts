// What a command is: a literal row. Everything else follows from it and the contract: help, completion, what a value may be, the
// request, the answer as a table, the reference in the documentation.
import type { Client, MethodName } from './client.ts';
import type { Io } from './io.ts';
import type { Noun } from './names.ts';
import type { ConnectionOptions, Session } from './session.ts';

/** A positional argument ("<name>", "[name]") or an option ("--name <text>", "--flag"). */
export interface Given {
  readonly flags: string;
  readonly about: string;
  /** Where its value goes: a path in the request, "allowedModels.globs". */
  readonly field?: string;
  /** An id, or the name of such a thing. */
  readonly noun?: Noun;
  /** What goes along with it, by path. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Where the text is not the value as it is. @throws Error that says what is accepted */
  readonly read?: (text: string) => unknown;
  readonly choices?: readonly string[];
  /** What may be given beside the choices. */
  readonly orLike?: { readonly pattern: RegExp; readonly about: string };
  /** An option that must be there. */
  readonly required?: true;
  /** May be repeated, where no field says so. */
  readonly several?: true;
}

interface Common {
  readonly about: string;
  readonly arguments?: readonly Given[];
  readonly options?: readonly Given[];
  /** Command lines without the program's name; each is held against the parser by a test. */
  readonly examples: readonly string[];
  /** More for its help. */
  readonly notes?: string;
}

/** A command that is one method of the contract. */
export interface MethodCommand extends Common {
  readonly method: MethodName;
  /** Of a list: headers and paths in a row; a column "?path" is left out where no row has it. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Path in the answer of what is shown this once. */
  readonly secret?: string;
  /** Asked before it is done, with the arguments' values in place of {name}. */
  readonly prompt?: string;
  /** Said when it is done, where there is nothing to show. */
  readonly done?: string;
  /** "own": the request's organization is an option of the command, and not the one in use. */
  readonly organization?: 'own';
  /** Takes the request's fields as JSON by --file. */
  readonly file?: true;
  /** What the command is about where nothing narrower is given: the organization in use, with its id at this path. */
  readonly otherwise?: Otherwise;
  /** Completes the request where a table cannot. */
  readonly complete?: (request: Request, invocation: Invocation) => Promise<Request> | Request;
}

interface Otherwise extends Pick<Given, 'field' | 'beside'> {
  /** Where a member asks: themself, with their id at the same path, and this in place of `beside`. */
  readonly ofMember?: Given['beside'];
}

/** A command with code of its own. */
export interface OwnCommand extends Common {
  readonly run: (invocation: Invocation) => Promise<Done>;
}

/** Exit code, where it is not 0. */
// biome-ignore lint/suspicious/noConfusingVoidType: what most commands return
export type Done = number | void;

export type Command = MethodCommand | OwnCommand;

export interface Resource {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly commands: Readonly<Record<string, Command>>;
}

export type Request = { [field: string]: unknown };

export interface CommonOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly platform?: boolean;
  readonly limit?: string;
  readonly all?: boolean;
  readonly file?: string;
}

/** One command as somebody typed it. */
export interface Invocation {
  readonly io: Io;
  /** All commands. */
  readonly tree: Tree;
  readonly options: CommonOptions;
  /** Text, texts or true by what they were given for. */
  readonly given: ReadonlyMap<Given, GivenValue>;
  /** Opens the session at its first use. */
  session(): Promise<Session>;
  client(): Promise<Client>;
}

export type GivenValue = string | readonly string[] | true;

/** The text given for an argument or option, by its flags. */
export function textOf(invocation: Invocation, flags: string): string | undefined {
  for (const [given, value] of invocation.given) {
    if (given.flags === flags && typeof value === 'string') return value;
  }
  return undefined;
}

/** What was given for an option that may be repeated. */
export function valuesOf({ given }: Invocation, option: Given): readonly string[] {
  const value = given.get(option);
  return Array.isArray(value) ? value.map(String) : [];
}

export function isGiven(invocation: Invocation, flags: string): boolean {
  return [...invocation.given.keys()].some((given) => given.flags === flags);
}

export interface Tree {
  /** `gatewayctl <resource> <command>` */
  readonly resources: readonly Resource[];
  /** `gatewayctl <command>` */
  readonly commands: Readonly<Record<string, Command>>;
}
