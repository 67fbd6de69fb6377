// Reads the tools of a client's request (SDK types `ToolConfiguration`, `Tool`, `ToolChoice`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';
import { blocksOf, markLast } from './client-blocks.ts';

const path = 'toolConfig';

/** `tools`, `tool_choice` and `parallel_tool_calls` of chat completions. @throws GatewayError invalid_request */
export function chatTools(body: JsonObject, losses: LossList): JsonObject {
  const { toolConfig, additionalModelRequestFields: extra } = body;
  if (!isGiven(toolConfig)) return {};
  if (!isObject(toolConfig)) throw invalid(path, `${path} must be an object with tools`);
  losses.dropOthers(toolConfig, configFields, path);
  const tools: JsonObject[] = [];
  const own = new Set<unknown>();
  for (const one of blocksOf(toolConfig.tools ?? [], `${path}.tools`)) {
    const { toolSpec, cachePoint, systemTool } = one.block;
    if (isObject(cachePoint)) markLast(tools, one, losses);
    else if (isObject(toolSpec)) {
      losses.dropOthers(toolSpec, specFields, `${path}.tools.toolSpec`);
      tools.push(chatTool(toolSpec, `${one.at}.toolSpec`));
    } else {
      // The vendor would run it.
      losses.drop(ownToolName);
      if (isObject(systemTool)) own.add(systemTool.name);
    }
  }
  if (own.has(chosenName(toolConfig.toolChoice))) losses.refuse(`${path}.toolChoice`);
  if (tools.length === 0) return {};
  return { tools, ...chatChoice(toolConfig.toolChoice), ...ownChoice(isObject(extra) ? extra.tool_choice : undefined) };
}

const configFields: ReadonlySet<string> = new Set(['tools', 'toolChoice']);
const specFields: ReadonlySet<string> = new Set(['name', 'description', 'inputSchema', 'strict']);

/** As `x-svc-dropped-params` names a tool that the vendor would run. */
export const ownToolName = `${path}.tools.systemTool`;

/** The tool that must be called; undefined if any may be. */
export function chosenName(choice: unknown): unknown {
  return isObject(choice) && isObject(choice.tool) ? choice.tool.name : undefined;
}

function chatTool({ name, description, inputSchema, strict }: JsonObject, at: string): JsonObject {
  if (typeof name !== 'string') throw invalid(`${at}.name`, `${at}.name must be a string`);
  const parameters = isObject(inputSchema) ? inputSchema.json : undefined;
  if (!isObject(parameters)) {
    throw invalid(`${at}.inputSchema`, `${at}.inputSchema must be an object with a JSON Schema in json`);
  }
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      parameters,
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

function chatChoice(choice: unknown): JsonObject {
  if (!isGiven(choice)) return {};
  const { auto, any, tool } = isObject(choice) ? choice : {};
  if (isGiven(auto)) return { tool_choice: 'auto' };
  if (isGiven(any)) return { tool_choice: 'required' };
  const name = isObject(tool) ? tool.name : undefined;
  if (typeof name === 'string') return { tool_choice: { type: 'function', function: { name } } };
  throw invalid(`${path}.toolChoice`, `${path}.toolChoice must be an object with auto, any or tool`);
}

/** Claude's own choice, which replaces the common one: it has two that the common one lacks. */
function ownChoice(choice: unknown): JsonObject {
  if (!isObject(choice)) return {};
  const { type, name, disable_parallel_tool_use: isSingle } = choice;
  const kind = type === 'tool' && typeof name === 'string' ? { type: 'function', function: { name } } : kinds.get(type);
  return {
    ...(kind !== undefined && { tool_choice: kind }),
    ...(isSingle === true && { parallel_tool_calls: false }),
  };
}

const kinds: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
]);
