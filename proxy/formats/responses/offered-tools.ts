// The tools of a client's request (SDK type `Tool` of the package openai) as functions of chat completions: a tool with
// free text as its input is a function with one string, and a function of a namespace has the namespace in its name.
// Calls of such functions are written back as the client knows them.
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';

/** A tool as the client names it. */
export interface ToolName {
  readonly name: string;
  readonly namespace: string | undefined;
  /** Its input is any text, not JSON. */
  readonly isCustom: boolean;
}

export interface OfferedTool extends ToolName {
  /** Name of the function in chat completions. */
  readonly chatName: string;
  readonly definition: JsonObject;
  /** Description of its namespace. */
  readonly about: string | undefined;
  /** Path in the client's body. */
  readonly at: string;
}

export interface OfferedTools {
  readonly own: readonly OfferedTool[];
  /** Those that the vendor defines. */
  readonly hosted: readonly JsonObject[];
}

/** The tools of the field `tools`, and those of items `additional_tools`. @throws GatewayError invalid_request */
export function offeredTools({ tools, input }: JsonObject): OfferedTools {
  const own: OfferedTool[] = [];
  const hosted: JsonObject[] = [];
  const add = (list: unknown, at: string) => {
    if (!isGiven(list)) return;
    if (!Array.isArray(list)) throw invalid(at, `${at} must be an array`);
    list.forEach((tool: unknown, index) => {
      const where = `${at}[${index}]`;
      if (!isObject(tool)) throw invalid(where, `${where} must be an object`);
      const found = ownTools(tool, where);
      if (found !== undefined) own.push(...found);
      else if (typeof tool.type === 'string') hosted.push(tool);
      else throw invalid(`${where}.type`, `${where}.type must be a string`);
    });
  };
  add(tools, 'tools');
  for (const [index, item] of (Array.isArray(input) ? input : []).entries()) {
    if (isObject(item) && item.type === 'additional_tools') add(item.tools, `input[${index}].tools`);
  }
  return { own, hosted };
}

/** Undefined for a tool that the client does not run itself. */
function ownTools(tool: JsonObject, at: string): readonly OfferedTool[] | undefined {
  if (tool.type === 'function' || tool.type === 'custom') return [offered(tool, at, undefined)];
  if (tool.type !== 'namespace') return undefined;
  if (!Array.isArray(tool.tools)) throw invalid(`${at}.tools`, `${at}.tools must be an array`);
  return tool.tools.map((one: unknown, index) => {
    const where = `${at}.tools[${index}]`;
    if (!isObject(one) || (one.type !== 'function' && one.type !== 'custom')) {
      throw invalid(where, `${where} must be a tool of type function or custom`);
    }
    return offered(one, where, { name: nameOf(tool, at), description: tool.description });
  });
}

function offered(
  definition: JsonObject,
  at: string,
  group: { readonly name: string; readonly description: unknown } | undefined,
): OfferedTool {
  const name = nameOf(definition, at);
  const about = group?.description;
  return {
    name,
    namespace: group?.name,
    chatName: chatName(name, group?.name),
    isCustom: definition.type === 'custom',
    definition,
    about: typeof about === 'string' && about !== '' ? about : undefined,
    at,
  };
}

function nameOf({ name }: JsonObject, at: string): string {
  if (typeof name === 'string' && name !== '') return name;
  throw invalid(`${at}.name`, `${at}.name must be a non-empty string`);
}

/** Vendors accept names of this length. */
const nameMax = 64;
const digestLength = 8;

/** A long name is cut, and its digest keeps it apart from others. */
export function chatName(name: string, namespace: unknown): string {
  if (typeof namespace !== 'string' || namespace === '') return name;
  const whole = `${namespace}__${name}`;
  if (whole.length <= nameMax) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, digestLength);
  return `${whole.slice(0, nameMax - digestLength - 1)}_${digest}`;
}

/** By the names in chat completions. */
export type ToolNames = ReadonlyMap<string, ToolName>;

/** @param body of the request, which was read before */
export function toolNames(body: JsonObject): ToolNames {
  return new Map(offeredTools(body).own.map((tool) => [tool.chatName, tool]));
}

/** The name of a called function as the client knows it. */
export function calledTool(names: ToolNames, name: string): ToolName {
  return names.get(name) ?? { name, namespace: undefined, isCustom: false };
}

/** Input of a custom tool from the arguments of its function. A model may forget the object around the text. */
export function customInput(args: string): string {
  const read = parseJson(args);
  return isObject(read) && typeof read.input === 'string' ? read.input : args;
}

/** The function of a tool with free text. Its grammar is only a description for vendors without grammars. */
export function customFunction({ definition: { description, format } }: OfferedTool): JsonObject {
  const [rules] = objectsOf([format]).filter(({ type }) => type === 'grammar');
  const grammar =
    rules === undefined ? undefined : `The input must match this ${rules.syntax} grammar:\n${rules.definition}`;
  return {
    description: joinedText([description, grammar]),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}

export function joinedText(texts: readonly unknown[]): string {
  return texts.filter((one) => typeof one === 'string' && one !== '').join('\n\n');
}
