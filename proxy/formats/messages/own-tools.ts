// Tools that the vendor defines (SDK type `BetaToolUnion` of @anthropic-ai/sdk), by what they reach.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { count } from '../../conversation/usage.ts';
import { type OwnTool, type OwnToolKind, unknownTool } from '../own-tools.ts';
import { isCallers } from './read-tools.ts';

const harmless: OwnToolKind = { needs: [], cost: 'nothing' };
/** The servers are those that the caller names, with the caller's tokens. */
export const mcp: OwnToolKind = { needs: ['egress'], cost: 'reads' };

/** By type, without its date. */
const kinds: ReadonlyMap<string, OwnToolKind> = new Map<string, OwnToolKind>([
  // The vendor defines them, the client runs them.
  ['bash', harmless],
  ['browser_toolset', harmless],
  ['computer', harmless],
  ['computer_toolset', harmless],
  ['memory', harmless],
  ['text_editor', harmless],
  // They search the definitions that the request contains.
  ['tool_search_tool_bm25', harmless],
  ['tool_search_tool_regex', harmless],
  ['web_search', { needs: ['egress'], cost: 'searches' }],
  ['web_fetch', { needs: ['egress'], cost: 'reads' }],
  ['mcp_toolset', mcp],
  // Containers are charged by time, which no usage reports.
  ['code_execution', { needs: ['execution'], cost: 'unknown' }],
  // It calls a model that no allow-list has seen.
  ['advisor', { needs: 'account', cost: 'unknown' }],
]);

const mcpBlocks: ReadonlySet<unknown> = new Set(['mcp_tool_use', 'mcp_tool_result', 'mcp_tool_listing']);

/** Undefined for the caller's own functions. */
export function kindOf(tool: unknown): OwnToolKind | undefined {
  if (!isObject(tool) || isCallers(tool)) return undefined;
  return kinds.get(String(tool.type).replace(/_\d{8}$/, '')) ?? unknownTool;
}

/** Of a block of the history: a call of such a tool, its result, or its offer from there on. */
export function kindOfBlock({ type, name, tool: added }: JsonObject): OwnToolKind | undefined {
  if (mcpBlocks.has(type)) return mcp;
  if (type === 'tool_addition') return isObject(added) ? kindOf(added.definition) : undefined;
  const [, tool] = /^(.+)_tool_result$/.exec(String(type)) ?? [];
  const called = type === 'server_tool_use' ? String(name) : tool;
  if (called === undefined) return undefined;
  const [, runner] = /^(?:bash|text_editor)_(code_execution)$/.exec(called) ?? [];
  return kinds.get(runner ?? called) ?? (called === 'tool_search' ? harmless : unknownTool);
}

/** All of a request, with those that its messages add (SDK type `BetaRequestToolAdditionBlock`). */
export function ownToolsOf({ tools, mcp_servers: servers, messages }: JsonObject): readonly OwnTool[] {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const own = [
    ...all.flatMap((tool, index) => ownTool(tool, `tools[${index}]`)),
    ...objectsOf(messages).flatMap(({ content }, index) => addedTools(content, `messages[${index}].content`)),
  ];
  return isGiven(servers) ? [...own, { ...mcp, at: 'mcp_servers' }] : own;
}

function ownTool(tool: unknown, at: string): OwnTool[] {
  const kind = kindOf(tool);
  return kind === undefined ? [] : [{ ...kind, at, usesMax: isObject(tool) ? count(tool.max_uses) : undefined }];
}

/** A summary repeats the additions that it replaces (SDK type `BetaCompactionBlockParam`). */
function addedTools(content: unknown, at: string): OwnTool[] {
  return objectsOf(content).flatMap(({ type, tool: added, tool_changes: changes }, index) => {
    const where = `${at}[${index}]`;
    if (type === 'tool_addition' && isObject(added)) return ownTool(added.definition, `${where}.tool.definition`);
    return addedTools(changes, `${where}.tool_changes`);
  });
}
