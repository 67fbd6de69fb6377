// Tools that the vendor runs, by what they reach: those of Nova models (SDK type `SystemTool`), and Claude's, in the
// form of its vendor's own API.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { type OwnTool, type OwnToolKind, unknownTool } from '../own-tools.ts';

const search: OwnToolKind = { needs: ['egress'], cost: 'searches' };
const code: OwnToolKind = { needs: ['execution'], cost: 'unknown' };

/** By name, or by type without its date. */
const kinds: ReadonlyMap<string, OwnToolKind> = new Map<string, OwnToolKind>([
  ['nova_grounding', search],
  ['nova_code_interpreter', code],
  ['web_search', search],
  ['web_fetch', { needs: ['egress'], cost: 'reads' }],
  ['code_execution', code],
]);

/** Tools that Claude's vendor defines but the client runs: they reach nothing at the vendor. */
const clientRun = /^(?:custom|(?:bash|text_editor|computer|memory)_\d{8})$/;

/** A tool of `toolConfig`. Undefined for the caller's own functions. */
export function systemKind({ systemTool: tool }: JsonObject): OwnToolKind | undefined {
  return isObject(tool) ? (kinds.get(String(tool.name)) ?? unknownTool) : undefined;
}

/** A tool of `additionalModelRequestFields`. */
export function claudeKind({ type }: JsonObject): OwnToolKind | undefined {
  if (!isGiven(type) || clientRun.test(String(type))) return undefined;
  return kinds.get(String(type).replace(/_\d+$/, '')) ?? unknownTool;
}

/** Of a block of the history: a call of such a tool (SDK type `ToolUseType`). */
export function kindOfBlock({ toolUse: call }: JsonObject): OwnToolKind | undefined {
  if (!isObject(call) || call.type !== 'server_tool_use') return undefined;
  return kinds.get(String(call.name)) ?? unknownTool;
}

/** All of a request. */
export function ownToolsOf({
  toolConfig: config,
  additionalModelRequestFields: extra,
}: JsonObject): readonly OwnTool[] {
  const system = objectsOf(isObject(config) ? config.tools : undefined).map(systemKind);
  const claude = objectsOf(isObject(extra) ? extra.tools : undefined).map(claudeKind);
  return [...listed(system, 'toolConfig.tools'), ...listed(claude, 'additionalModelRequestFields.tools')];
}

function listed(found: readonly (OwnToolKind | undefined)[], at: string): readonly OwnTool[] {
  return found.flatMap((kind, index) => (kind === undefined ? [] : [{ ...kind, at: `${at}[${index}]` }]));
}
