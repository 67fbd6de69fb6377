// Reads the tools of a client's request (SDK types `Tool`, `ToolConfig` of @google/genai).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';
import { camelNames } from './client-names.ts';
import { chatSchema } from './client-schema.ts';

/** `tools` and `tool_choice` of chat completions. @throws GatewayError invalid_request */
export function readTools({ tools, toolConfig }: JsonObject, losses: LossList): JsonObject {
  if (!isGiven(tools)) return {};
  const functions = toolsOf(tools).flatMap(({ tool, at }) => {
    // Agents offer the vendor's own tools in every request and work without them.
    for (const name of ownTools(tool)) losses.drop(`${at}.${name}`);
    return declarations(tool.functionDeclarations, `${at}.functionDeclarations`, losses);
  });
  return functions.length === 0 ? {} : { tools: functions, ...choiceOf(toolConfig, losses) };
}

interface ClientTool {
  /** With its names in camel case. */
  readonly tool: JsonObject;
  readonly at: string;
}

/** @throws GatewayError invalid_request */
export function toolsOf(tools: unknown): readonly ClientTool[] {
  if (!Array.isArray(tools)) throw invalid('tools', 'tools must be an array');
  return tools.map((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool)) throw invalid(at, `${at} must be an object`);
    return { tool: camelNames(tool, at), at };
  });
}

/** Names of the tools that the vendor runs itself, or defines: all but functions. */
export function ownTools(tool: JsonObject): readonly string[] {
  return Object.keys(tool).filter((name) => name !== 'functionDeclarations' && isGiven(tool[name]));
}

function declarations(value: unknown, at: string, losses: LossList): JsonObject[] {
  if (!isGiven(value)) return [];
  if (!Array.isArray(value)) throw invalid(at, `${at} must be an array`);
  return value.map((one: unknown, index) => {
    const where = `${at}[${index}]`;
    if (!isObject(one)) throw invalid(where, `${where} must be an object with a name`);
    return chatTool(camelNames(one, where), where, losses);
  });
}

const readFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

function chatTool(declared: JsonObject, at: string, losses: LossList): JsonObject {
  const { name, description, parameters, parametersJsonSchema } = declared;
  if (typeof name !== 'string') throw invalid(`${at}.name`, `${at}.name must be a string`);
  const lost = Object.keys(declared).filter((field) => isGiven(declared[field]) && !readFields.has(field));
  for (const field of lost) losses.drop(`tools.functionDeclarations.${field}`);
  const lose = (keyword: string) => losses.drop(`tools.functionDeclarations.parameters.${keyword}`);
  const schema = isObject(parameters) ? chatSchema(parameters, lose) : parametersJsonSchema;
  if (isGiven(schema) && !isObject(schema)) {
    throw invalid(`${at}.parametersJsonSchema`, `${at}.parametersJsonSchema must be a JSON Schema object`);
  }
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      parameters: schema ?? { type: 'object', properties: {} },
    },
  };
}

const path = 'toolConfig';

function choiceOf(value: unknown, losses: LossList): JsonObject {
  if (!isGiven(value)) return {};
  if (!isObject(value)) throw invalid(path, `${path} must be an object`);
  const config = camelNames(value, path);
  const lost = Object.keys(config).filter((name) => isGiven(config[name]) && name !== 'functionCallingConfig');
  for (const name of lost) losses.drop(`${path}.${name}`);
  return callingChoice(config.functionCallingConfig, losses);
}

const callingFields: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);

/** SDK type `FunctionCallingConfig`. */
function callingChoice(value: unknown, losses: LossList): JsonObject {
  if (!isGiven(value)) return {};
  const at = `${path}.functionCallingConfig`;
  if (!isObject(value)) throw invalid(at, `${at} must be an object with a mode`);
  const config = camelNames(value, at);
  losses.dropOthers(config, callingFields, at);
  const { mode, allowedFunctionNames } = config;
  const names: readonly unknown[] = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  switch (mode) {
    case undefined:
    case null:
    case 'MODE_UNSPECIFIED':
      return {};
    case 'AUTO':
      return { tool_choice: 'auto' };
    case 'NONE':
      return { tool_choice: 'none' };
    case 'ANY':
      return { tool_choice: names.length === 0 ? 'required' : namedChoice(names, 'required') };
    case 'VALIDATED':
      return { tool_choice: names.length === 0 ? 'auto' : namedChoice(names, 'auto') };
    default:
      throw invalid(`${at}.mode`, `${at}.mode must be AUTO, ANY, NONE or VALIDATED`);
  }
}

function namedChoice(names: readonly unknown[], mode: 'required' | 'auto'): JsonObject {
  const tools = names.map((name) => ({ type: 'function', function: { name } }));
  const [only] = tools;
  if (tools.length === 1 && only !== undefined && mode === 'required') return only;
  return { type: 'allowed_tools', allowed_tools: { mode, tools } };
}
