// Writes tools and the tool choice as the vendor expects them (SDK types `ToolUnion`, `ToolChoice` of
// @anthropic-ai/sdk).
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ToolDefinition, Tools } from '../../conversation/tools.ts';
import { searchesBySize, searchSizeDefault } from '../../conversation/web-search.ts';
import { inputSchema, type StrictSchemas } from '../../models/claude/schema.ts';
import { cacheControl } from './content.ts';
import type { ReadBy } from './fields.ts';
import type { Plan } from './request-plan.ts';

export interface MappedFields {
  readonly fields: JsonObject;
  /** The caller's fields that these do not include. */
  readonly dropped: readonly string[];
}

export interface ToolContext {
  readonly capabilities: ModelCapabilities;
  readonly conversation: Conversation;
  /** With thinking, no call can be forced. */
  readonly thinking: boolean;
}

/** `tools` and `tool_choice`. @throws GatewayError invalid_request */
export function writeTools(options: ReadBy<'tools'>, plan: Plan, context: ToolContext): MappedFields {
  const { tools, schemas } = plan;
  const usable = usableTools(tools);
  const own = usable.map((tool) => writeTool(tool, context.capabilities.jsonSchema ? schemas : undefined));
  const search = webSearch(options, usable);
  const list = [...own, ...(search === undefined ? [] : [search])];
  const dropped = [
    ...(usable.some(({ strict }, index) => strict === true && own[index]?.strict !== true) ? ['tools.strict'] : []),
    ...(isGiven(options.web_search_options) && search === undefined ? ['web_search_options'] : []),
  ];
  if (list.length === 0) return { fields: calledBefore(context.conversation), dropped };
  const choice = writeChoice(tools, context);
  const fields = { tools: list, ...(choice.value !== undefined && { tool_choice: choice.value }) };
  return { fields, dropped: [...dropped, ...choice.dropped] };
}

/** A name that the vendor accepts. Names in the history can be any text. */
export function toolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 128) || 'tool';
}

function usableTools({ definitions, choice }: Tools): readonly ToolDefinition[] {
  if (choice.kind !== 'allowed' || choice.names.length === 0) return definitions;
  const names = new Set(choice.names);
  return definitions.filter(({ name }) => names.has(name));
}

/** @param schemas receives the schema of a strict tool; undefined if the model has no strict tools */
function writeTool(tool: ToolDefinition, schemas: StrictSchemas | undefined): JsonObject {
  const { name, description, parameters, strict, cache } = tool;
  const schema = inputSchema(parameters);
  const kept = strict === true ? schemas?.take(schema) : undefined;
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: kept ?? schema,
    ...(kept !== undefined && { strict: true }),
    ...cacheControl(cache),
  };
}

/** The vendor requires definitions of tools that the history calls, even if none may be called now. */
function calledBefore({ turns }: Conversation): JsonObject {
  const names = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])).map(({ name }) => name);
  if (names.length === 0) return {};
  const tools = [...new Set(names.map(toolName))].map((name) => ({
    name,
    input_schema: inputSchema(undefined),
  }));
  return { tools, tool_choice: { type: 'none' } };
}

interface WrittenChoice {
  readonly value: JsonObject | undefined;
  readonly dropped: readonly string[];
}

function writeChoice(tools: Tools, { capabilities, thinking }: ToolContext): WrittenChoice {
  const { parallel, asFunctions } = tools;
  const wanted = wantedChoice(tools);
  if (wanted.type === 'none') return { value: wanted, dropped: [] };
  const parallelism = parallel === undefined ? {} : { disable_parallel_tool_use: !parallel };
  if (wanted.type === 'auto') {
    const isStated = tools.choice.kind !== 'default' || parallel !== undefined;
    return { value: isStated ? { ...wanted, ...parallelism } : undefined, dropped: [] };
  }
  if (capabilities.forcedTools && !thinking) return { value: { ...wanted, ...parallelism }, dropped: [] };
  return {
    value: { type: 'auto', ...parallelism },
    dropped: [asFunctions ? 'function_call' : 'tool_choice'],
  };
}

function wantedChoice({ choice }: Tools): JsonObject & { readonly type: 'auto' | 'any' | 'tool' | 'none' } {
  switch (choice.kind) {
    case 'default':
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any' };
    case 'named':
      return { type: 'tool', name: choice.name };
    case 'allowed':
      if (choice.names.length === 0) return { type: 'none' };
      return { type: choice.mode === 'auto' ? 'auto' : 'any' };
  }
}

const searchName = 'web_search';

/**
 * Writes `web_search_options` as a tool that the vendor runs.
 * @returns undefined if it is not requested, or if one of the caller's tools has the same name
 */
function webSearch(
  { web_search_options: options }: ReadBy<'tools'>,
  tools: readonly ToolDefinition[],
): JsonObject | undefined {
  if (!isGiven(options)) return undefined;
  if (!isObject(options)) throw invalid('web_search_options', 'web_search_options must be an object');
  const { search_context_size: size, user_location: location } = options;
  const searches = searchesBySize.get(size ?? searchSizeDefault);
  if (searches === undefined) {
    const at = 'web_search_options.search_context_size';
    throw invalid(at, `${at} must be low, medium or high`);
  }
  if (tools.some(({ name }) => name === searchName)) return undefined;
  return {
    type: 'web_search_20250305',
    name: searchName,
    max_uses: searches,
    ...(isGiven(location) && { user_location: userLocation(location) }),
  };
}

const locationFields = ['city', 'country', 'region', 'timezone'];

function userLocation(location: unknown): JsonObject {
  const at = 'web_search_options.user_location';
  const approximate = isObject(location) ? location.approximate : undefined;
  if (!isObject(approximate)) throw invalid(at, `${at} must be an object with approximate`);
  const given = locationFields.filter((field) => isGiven(approximate[field]));
  const odd = given.find((field) => typeof approximate[field] !== 'string');
  if (odd !== undefined) throw invalid(`${at}.approximate.${odd}`, `${at}.approximate.${odd} must be a string`);
  return { type: 'approximate', ...Object.fromEntries(given.map((field) => [field, approximate[field]])) };
}
