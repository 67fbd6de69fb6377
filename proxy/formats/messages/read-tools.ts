// Reads the tools of a client's request (SDK types `ToolUnion`, `ToolChoice` of @anthropic-ai/sdk).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';

/** `tools`, `tool_choice` and `parallel_tool_calls` of chat completions. @throws GatewayError invalid_request */
export function chatTools(body: JsonObject, losses: LossList): JsonObject {
  const { tools, tool_choice: choice } = body;
  if (!isGiven(tools)) return {};
  if (!Array.isArray(tools)) throw invalid('tools', 'tools must be an array');
  const own = new Set<unknown>();
  const functions = tools.flatMap((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool)) throw invalid(at, `${at} must be an object`);
    if (isCallers(tool)) return [chatTool(tool, at, losses)];
    // Agents offer the vendor's own tools in every request and work without them.
    losses.drop(ownToolName(tool));
    own.add(tool.name);
    return [];
  });
  if (isObject(choice) && choice.type === 'tool' && own.has(choice.name)) losses.refuse('tool_choice');
  return functions.length === 0 ? {} : { tools: functions, ...chatChoice(choice) };
}

/** Whether the client runs the tool itself; the vendor runs all others, or defines their input. */
export function isCallers({ type }: JsonObject): boolean {
  return !isGiven(type) || type === 'custom';
}

/** As `x-svc-dropped-params` names it: without its date. */
export function ownToolName({ type }: JsonObject): string {
  return `tools.${String(type).replace(/_\d+$/, '')}`;
}

function chatTool(tool: JsonObject, at: string, losses: LossList): JsonObject {
  const { name, description, input_schema: parameters, strict, cache_control, defer_loading } = tool;
  if (typeof name !== 'string') throw invalid(`${at}.name`, `${at}.name must be a string`);
  if (!isObject(parameters)) throw invalid(`${at}.input_schema`, `${at}.input_schema must be a JSON Schema object`);
  if (defer_loading === true) losses.drop('tools.defer_loading');
  losses.dropOthers(tool, readFields, at);
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      parameters,
      ...(typeof strict === 'boolean' && { strict }),
    },
    ...(isObject(cache_control) && { cache_control }),
  };
}

const readFields: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'strict', 'cache_control', 'defer_loading'],
]);

function chatChoice(choice: unknown): JsonObject {
  if (!isGiven(choice)) return {};
  if (!isObject(choice)) throw invalid('tool_choice', 'tool_choice must be an object with a type');
  const { type, name, disable_parallel_tool_use: isSingle } = choice;
  const parallel = isSingle === true ? { parallel_tool_calls: false } : {};
  switch (type) {
    case 'auto':
    case 'none':
      return { tool_choice: type, ...parallel };
    case 'any':
      return { tool_choice: 'required', ...parallel };
    case 'tool':
      return { tool_choice: { type: 'function', function: { name } }, ...parallel };
    default:
      throw invalid('tool_choice.type', 'tool_choice.type must be auto, any, tool or none');
  }
}
