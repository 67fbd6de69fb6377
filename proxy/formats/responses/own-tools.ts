// Tools that the vendor defines (SDK type `Tool` of the package openai), by what they reach.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import { type OwnTool, type OwnToolKind, permits, type ToolRights, unknownTool } from '../own-tools.ts';

const harmless: OwnToolKind = { needs: [], cost: 'nothing' };
const search: OwnToolKind = { needs: ['egress'], cost: 'searches' };
/** Containers are charged by time, which no usage reports. */
const container: OwnToolKind = { needs: ['execution'], cost: 'unknown' };

/** By type, without its date. */
const kinds: ReadonlyMap<string, OwnToolKind> = new Map<string, OwnToolKind>([
  // The client runs them, or they search the definitions that the request contains.
  ['apply_patch', harmless],
  ['computer', harmless],
  ['computer_use_preview', harmless],
  ['local_shell', harmless],
  ['tool_search', harmless],
  ['web_search', search],
  ['web_search_preview', search],
  ['mcp', { needs: ['egress'], cost: 'reads' }],
  ['code_interpreter', container],
  ['programmatic_tool_calling', container],
  ['file_search', { needs: 'account', cost: 'unknown' }],
]);

const callers: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);

/** `web_search_preview_2025_03_11` */
const dated = /(?:_\d+)+$/;

function undatedType({ type }: JsonObject): string {
  return String(type).replace(dated, '');
}

/** As `x-svc-dropped-params` names it: without its date. */
export function ownToolName(tool: JsonObject): string {
  return `tools.${undatedType(tool)}`;
}

/** Undefined for the caller's own functions. */
function kindOf(tool: unknown): OwnToolKind | undefined {
  if (!isObject(tool) || callers.has(tool.type)) return undefined;
  const type = undatedType(tool);
  if (type === 'shell') return isLocal(tool) ? harmless : container;
  return kinds.get(type) ?? unknownTool;
}

/** Tools by the type of an item that they leave in the history. */
const itemTools: ReadonlyMap<unknown, string> = new Map([
  ['code_interpreter_call', 'code_interpreter'],
  ['file_search_call', 'file_search'],
  ['image_generation_call', 'image_generation'],
  ['mcp_approval_request', 'mcp'],
  ['mcp_approval_response', 'mcp'],
  ['mcp_call', 'mcp'],
  ['mcp_list_tools', 'mcp'],
  ['program', 'programmatic_tool_calling'],
  ['program_output', 'programmatic_tool_calling'],
  ['shell_call', 'shell'],
  ['web_search_call', 'web_search'],
]);

/** Of an item of the history. Undefined if the client has run the tool. */
export function kindOfItem(item: JsonObject): OwnToolKind | undefined {
  const type = itemTools.get(item.type);
  if (type === undefined) return undefined;
  // Without an environment the client runs the commands.
  if (type === 'shell') return isGiven(item.environment) && !isLocal(item) ? container : undefined;
  return kinds.get(type) ?? unknownTool;
}

/** The client runs the commands. */
function isLocal({ environment }: JsonObject): boolean {
  return isObject(environment) && environment.type === 'local';
}

/** Items of the input that offer tools. */
export const offeringItems: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

/** All of a request, with those of its items. */
export function ownToolsOf({ tools, input }: JsonObject): readonly OwnTool[] {
  const inItems = objectsOf(input).flatMap((item, index) =>
    offeringItems.has(item.type) ? ownToolsIn(item.tools, `input[${index}].tools`) : [],
  );
  return [...ownToolsIn(tools, 'tools'), ...inItems];
}

function ownToolsIn(tools: unknown, at: string): readonly OwnTool[] {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return all.flatMap((tool, index) => {
    const kind = kindOf(tool);
    return kind === undefined ? [] : [{ ...kind, at: `${at}[${index}]` }];
  });
}

export interface PermittedTools {
  /** Undefined if nothing changes. */
  readonly tools: readonly unknown[] | undefined;
  /** What was taken off the offer. */
  readonly dropped: readonly string[];
}

/** @throws GatewayError unsupported_parameter if one that does not pass is demanded */
export function permittedTools({ tools, tool_choice: choice }: JsonObject, rights: ToolRights): PermittedTools {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const isOff = (tool: unknown) => {
    const kind = kindOf(tool);
    return kind !== undefined && !permits(rights, kind);
  };
  const off = objectsOf(listed.filter(isOff));
  const left = listed.filter((tool) => !isOff(tool));
  if (demands(choice, isOff) || (choice === 'required' && off.length > 0 && left.length === 0)) {
    throw unsupported('tool_choice', 'tool_choice demands a tool of the vendor that is not enabled');
  }
  return { tools: off.length === 0 ? undefined : left, dropped: off.map(ownToolName) };
}

/** SDK types `ToolChoiceTypes`, `ToolChoiceAllowed`… */
function demands(choice: unknown, isOff: (tool: unknown) => boolean): boolean {
  if (!isObject(choice)) return false;
  if (choice.type !== 'allowed_tools') return isOff(choice);
  const allowed = objectsOf(choice.tools);
  return choice.mode === 'required' && allowed.length > 0 && allowed.every(isOff);
}
