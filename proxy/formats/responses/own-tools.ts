// Tools that the vendor runs (SDK type `Tool` of the package openai), by what they reach.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { type OwnToolClass, type OwnToolSettings, permits, unknownTool } from '../own-tools.ts';

/** By type without its date. An empty list: the client runs the tool, or it reaches only what the request contains. */
const classes: ReadonlyMap<string, readonly OwnToolClass[]> = new Map([
  ['function', []],
  ['custom', []],
  ['namespace', []],
  ['tool_search', []],
  ['local_shell', []],
  ['apply_patch', []],
  ['computer', []],
  ['computer_use_preview', []],
  ['web_search', ['egress']],
  ['web_search_preview', ['egress']],
  ['mcp', ['egress']],
  ['code_interpreter', ['execution']],
  ['programmatic_tool_calling', ['execution']],
]);

/** `web_search_preview_2025_03_11` */
const dated = /(?:_\d+)+$/;

export function undatedType({ type }: JsonObject): string {
  return String(type).replace(dated, '');
}

function classesOf(tool: JsonObject): readonly OwnToolClass[] {
  const type = undatedType(tool);
  if (type === 'shell') return isLocal(tool) ? [] : ['execution'];
  return classes.get(type) ?? unknownTool;
}

/** The client runs the commands. */
function isLocal({ environment }: JsonObject): boolean {
  return isObject(environment) && environment.type === 'local';
}

export interface PermittedTools {
  /** Undefined if nothing changes. */
  readonly tools: readonly unknown[] | undefined;
  /** What was taken off the offer. */
  readonly dropped: readonly string[];
}

/** @throws GatewayError unsupported_parameter if one that does not pass is demanded */
export function permittedTools({ tools, tool_choice: choice }: JsonObject, settings: OwnToolSettings): PermittedTools {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const isOff = (tool: unknown) => isObject(tool) && !permits(settings, classesOf(tool));
  const off = objectsOf(listed.filter(isOff));
  const left = listed.filter((tool) => !isOff(tool));
  if (demands(choice, isOff) || (choice === 'required' && off.length > 0 && left.length === 0)) {
    throw unsupported('tool_choice', 'tool_choice demands a tool of the vendor that is not enabled');
  }
  return { tools: off.length === 0 ? undefined : left, dropped: off.map((tool) => `tools.${undatedType(tool)}`) };
}

/** SDK types `ToolChoiceTypes`, `ToolChoiceAllowed`… */
function demands(choice: unknown, isOff: (tool: unknown) => boolean): boolean {
  if (!isObject(choice)) return false;
  if (choice.type !== 'allowed_tools') return isOff(choice);
  const allowed = objectsOf(choice.tools);
  return choice.mode === 'required' && allowed.length > 0 && allowed.every(isOff);
}
