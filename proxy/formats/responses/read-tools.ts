// Reads the tools of a client's request (SDK types `Tool`, `ToolChoiceAllowed`, `ToolChoiceFunction`… of the package
// openai).
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';
import { customFunction, joinedText, type OfferedTool, offeredTools } from './offered-tools.ts';
import { ownToolName } from './own-tools.ts';

/**
 * `tools`, `tool_choice` and `parallel_tool_calls` of chat completions, where the last two need tools.
 * @throws GatewayError invalid_request
 */
export function chatTools(body: JsonObject, losses: LossList): JsonObject {
  const { own, hosted } = offeredTools(body);
  checkNames(own);
  // Agents offer the vendor's own tools in every request and work without them.
  for (const tool of hosted) losses.drop(ownToolName(tool));
  const { tool_choice: choice, parallel_tool_calls: parallel } = body;
  const chosen = chatChoice(choice, own, losses);
  if (own.length === 0) {
    // The response would have to contain a call.
    if (choice === 'required' && hosted.length > 0) losses.refuse('tool_choice');
    return choice === 'required' ? chosen : {};
  }
  return {
    tools: own.map((tool) => chatTool(tool, losses)),
    ...chosen,
    ...(isGiven(parallel) && { parallel_tool_calls: parallel }),
  };
}

/** Two tools of one name in chat completions would look the same in a call. */
function checkNames(own: readonly OfferedTool[]): void {
  const seen = new Map<string, OfferedTool>();
  for (const tool of own) {
    const other = seen.get(tool.chatName);
    if (other !== undefined && other.namespace !== tool.namespace) {
      throw invalid(`${tool.at}.name`, `${tool.at}.name and ${other.at}.name are the same function ${tool.chatName}`);
    }
    seen.set(tool.chatName, tool);
  }
}

function chatTool(tool: OfferedTool, losses: LossList): JsonObject {
  const { chatName: name, definition, about, isCustom } = tool;
  const { parameters, strict, description, defer_loading, output_schema } = isCustom
    ? { ...definition, ...customFunction(tool) }
    : definition;
  if (defer_loading === true) losses.drop('tools.defer_loading');
  if (isGiven(output_schema)) losses.drop('tools.output_schema');
  if (isGiven(definition.allowed_callers)) losses.drop('tools.allowed_callers');
  if (definition.async === true) losses.drop('tools.async');
  if (isGiven(parameters) && !isObject(parameters)) {
    throw invalid(`${tool.at}.parameters`, `${tool.at}.parameters must be a JSON Schema object`);
  }
  const text = joinedText([about, description]);
  return {
    type: 'function',
    function: {
      name,
      ...(text !== '' && { description: text }),
      ...(isObject(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

function chatChoice(choice: unknown, own: readonly OfferedTool[], losses: LossList): JsonObject {
  if (!isGiven(choice)) return {};
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { tool_choice: choice };
  if (!isObject(choice)) throw invalid('tool_choice', 'tool_choice must be auto, none, required or name a tool');
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { tool_choice: named(choice, own, 'tool_choice') };
    case 'allowed_tools':
      return allowedTools(choice, own, losses);
    default:
      losses.refuse('tool_choice');
      return {};
  }
}

/** A name alone is enough if only one namespace has a function of this name. */
function named(choice: JsonObject, own: readonly OfferedTool[], at: string): JsonObject {
  const { name, namespace } = choice;
  if (typeof name !== 'string') throw invalid(`${at}.name`, `${at}.name must be a string`);
  const within = own.filter((tool) => tool.name === name);
  const exact = within.find((tool) => tool.namespace === (namespace ?? undefined));
  const tool = exact ?? (within.length === 1 && !isGiven(namespace) ? within[0] : undefined);
  if (tool === undefined) throw invalid(at, `${at} names a tool that the request does not define`);
  return { type: 'function', function: { name: tool.chatName } };
}

function allowedTools({ mode, tools }: JsonObject, own: readonly OfferedTool[], losses: LossList): JsonObject {
  const at = 'tool_choice.tools';
  if (!Array.isArray(tools)) throw invalid(at, `${at} must be an array`);
  if (mode !== 'auto' && mode !== 'required') {
    throw invalid('tool_choice.mode', 'tool_choice.mode must be auto or required');
  }
  const allowed = objectsOf(tools).flatMap((tool, index) => {
    if (tool.type === 'function' || tool.type === 'custom') return [named(tool, own, `${at}[${index}]`)];
    if (tool.type !== 'namespace') return [];
    return own
      .filter(({ namespace }) => namespace === tool.name)
      .map(({ chatName: name }) => ({ type: 'function', function: { name } }));
  });
  if (allowed.length > 0) return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } } };
  if (mode === 'required') losses.refuse('tool_choice');
  return { tool_choice: 'none' };
}
