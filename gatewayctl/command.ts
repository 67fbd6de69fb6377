// A command is a literal row. Everything else follows from the row and the contract: help, completion, accepted values,
// the request, the response as a table, and the reference in the documentation.
import type { JsonObject } from '../common/json.ts';
import type { Client, MethodName } from './client.ts';
import type { Io } from './io.ts';
import type { Noun } from './names.ts';
import type { OutputForm } from './output-form.ts';
import type { ConnectionOptions, Session } from './session.ts';

/** A positional argument ("<name>", "[name]") or an option ("--name <text>", "--flag"). */
export interface Given {
  readonly flags: string;
  readonly about: string;
  /** Path in the request to which the value is written: "allowedModels.globs". */
  readonly field?: string;
  /** The value is an id, or the name of such an object. */
  readonly noun?: Noun;
  /** Further fields that are set with it, by path. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Converts the text to the value; absent: the text is the value. @throws Error that names the accepted form */
  readonly read?: (text: string) => unknown;
  readonly choices?: readonly string[];
  /** Values that are accepted in addition to the choices. */
  readonly orLike?: { readonly pattern: RegExp; readonly about: string };
  /** The option is required. */
  readonly required?: true;
  /** The field of a single value, which servers of earlier versions know too; `field` takes several. */
  readonly singleField?: string;
  /** May be repeated, for an option without a field that would decide it. */
  readonly several?: true;
}

interface Common {
  readonly about: string;
  /** Left out of help, documentation and completion, because programs call it. */
  readonly hidden?: true;
  readonly arguments?: readonly Given[];
  readonly options?: readonly Given[];
  /** Command lines without the program's name; a test runs each through the parser. */
  readonly examples: readonly string[];
  /** Additional text for its help. */
  readonly notes?: string;
}

/** A command that is one method of the contract. */
export interface MethodCommand extends Common {
  readonly method: MethodName;
  /** For a list, with pages or without: headers, and paths in a row; a column "?path" is omitted if no row has it. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Path in the response of a value that is shown only this once. */
  readonly secret?: string;
  /** Shows only the fields that have a value, of a response with very many. */
  readonly onlyPresent?: true;
  /** Confirmation question before execution; {name} is replaced by the value of an argument. */
  readonly prompt?: string;
  /** Message after execution, if there is nothing to show. */
  readonly done?: string;
  /** What to report on standard error after a secret was shown. */
  readonly afterSecret?: (response: object, invocation: Invocation) => void;
  /**
   * "own": the request's organization is an option of the command, not the organization in use. "or platform": with
   * --platform the request names none.
   */
  readonly organization?: 'own' | 'or platform';
  /** For a list that can be followed. */
  readonly follow?: Follow;
  /** Accepts the request's fields as JSON by --file. */
  readonly file?: true;
  /** Default subject of the command if none is given: the organization in use, with its id at this path. */
  readonly otherwise?: Otherwise;
  /** For a list: text for people in place of a table, if an option requests it. */
  readonly itemText?: ItemText;
  /** Text for people in place of one line for each field. */
  readonly render?: (response: object) => string;
  /** What runs in place of the method, if the command line has an option for it: such as one call for each key. */
  readonly instead?: (invocation: Invocation) => (() => Promise<Done>) | undefined;
  /** Whether the response, which is printed all the same, means that the command has failed: exit code 1. */
  readonly failed?: (response: object) => boolean;
  /** Completes the request where the table is not sufficient. */
  readonly complete?: (request: Request, invocation: Invocation) => Promise<Request> | Request;
}

/** The form of a list's items that an option requests. */
export interface ItemText {
  readonly given: Given;
  /** Lines, each with its end. */
  readonly text: (item: JsonObject) => string;
}

/** How a list is followed: items after a position, the oldest first. */
export interface Follow {
  /** The option that requests it. */
  readonly given: Given;
  /** Field of the request: only items after this position. */
  readonly after: string;
  /** Field of an item. */
  readonly position: string;
  /** Field of the request that starts in the past; without it, it starts after the newest item. */
  readonly since: string;
}

interface Otherwise extends Pick<Given, 'field' | 'beside'> {
  /** For a member: the default subject is the member, with their id at the same path, and this replaces `beside`. */
  readonly ofMember?: Given['beside'];
}

/** A command with code of its own. */
export interface OwnCommand extends Common {
  readonly run: (invocation: Invocation) => Promise<Done>;
  /** What the words after `--` are, if it takes any; they are not parsed. */
  readonly rest?: string;
}

/** Exit code, if it is not 0. */
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
  /** The form of the output: -o, or --json. */
  readonly form: OutputForm;
  /** Whether the output is one of the forms for programs, which printJson prints. */
  readonly json: boolean;
  /** Of a change: it is not sent. */
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly platform?: boolean;
  readonly limit?: string;
  readonly all?: boolean;
  readonly file?: string;
}

/** One command as it was typed. */
export interface Invocation {
  readonly io: Io;
  /** All commands. */
  readonly tree: Tree;
  readonly options: CommonOptions;
  /** The given value for each argument and option: a text, texts, or true. */
  readonly given: ReadonlyMap<Given, GivenValue>;
  /** The words after `--`, for a command that takes them. */
  readonly rest: readonly string[];
  /** Opens the session on first use. */
  session(): Promise<Session>;
  client(): Promise<Client>;
}

export type GivenValue = string | readonly string[] | true;

/** The text of an argument or option, by its flags. */
export function textOf(invocation: Invocation, flags: string): string | undefined {
  for (const [given, value] of invocation.given) {
    if (given.flags === flags && typeof value === 'string') return value;
  }
  return undefined;
}

/** The values of an option that may be repeated. */
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
