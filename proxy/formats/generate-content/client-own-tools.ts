// Tools of a client's request that the vendor runs (SDK type `Tool` of @google/genai), by what they reach.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { type OwnTool, type OwnToolKind, permits, type ToolRights, unknownTool } from '../own-tools.ts';
import { ownTools, toolsOf } from './client-tools.ts';

const searching: OwnToolKind = { needs: ['egress'], cost: 'searches' };
const account: OwnToolKind = { needs: 'account', cost: 'unknown' };
const harmless: OwnToolKind = { needs: [], cost: 'nothing' };

/** By the field of a tool. */
const kinds: ReadonlyMap<string, OwnToolKind> = new Map<string, OwnToolKind>([
  ['functionDeclarations', harmless],
  // The vendor defines its functions, the client runs them.
  ['computerUse', harmless],
  ['googleSearch', searching],
  ['googleSearchRetrieval', searching],
  ['enterpriseWebSearch', searching],
  ['googleMaps', searching],
  ['urlContext', { needs: ['egress'], cost: 'reads' }],
  ['mcpServers', { needs: ['egress'], cost: 'reads' }],
  // Fees of these hosts are not known.
  ['exaAiSearch', { needs: ['egress'], cost: 'unknown' }],
  ['parallelAiSearch', { needs: ['egress'], cost: 'unknown' }],
  ['codeExecution', { needs: ['execution'], cost: 'reads' }],
  // Stores of the account.
  ['fileSearch', account],
  ['retrieval', account],
]);

export function kindOf(name: string): OwnToolKind {
  return kinds.get(name) ?? unknownTool;
}

/** By the beginning of the type that a call of such a tool has (SDK type `ToolType`). */
const calledKinds: readonly (readonly [beginning: string, name: string])[] = [
  ['GOOGLE_SEARCH', 'googleSearch'],
  ['GOOGLE_MAPS', 'googleMaps'],
  ['URL_CONTEXT', 'urlContext'],
  ['FILE_SEARCH', 'fileSearch'],
];

/** Of a part of the history, with the field that says so. */
export function usedKind(part: JsonObject): readonly [field: string, kind: OwnToolKind] | undefined {
  const code = ['executableCode', 'codeExecutionResult'].find((name) => isGiven(part[name]));
  if (code !== undefined) return [code, kindOf('codeExecution')];
  const field = ['toolCall', 'toolResponse'].find((name) => isGiven(part[name]));
  if (field === undefined) return undefined;
  const call = part[field];
  const type = isObject(call) ? String(call.toolType ?? call.tool_type) : '';
  const [, name = ''] = calledKinds.find(([beginning]) => type.startsWith(beginning)) ?? [];
  return [field, kindOf(name)];
}

/** Those of the gateway's own names that the vendor got, in the form of chat completions with the vendor's tools. */
export function passedTools({ tools }: JsonObject, rights: ToolRights): readonly JsonObject[] {
  if (!isGiven(tools)) return [];
  const passed = toolsOf(tools).flatMap(({ tool }) => ownTools(tool).filter((name) => permits(rights, kindOf(name))));
  return passed.filter((name) => readNames.has(name)).map((name) => ({ [name]: {} }));
}

/** The tools whose use is read from a response. */
const readNames: ReadonlySet<string> = new Set(['googleSearch', 'urlContext', 'codeExecution']);

/** All of a request. @throws GatewayError invalid_request */
export function ownToolsOf({ tools }: JsonObject): readonly OwnTool[] {
  if (!isGiven(tools)) return [];
  return toolsOf(tools).flatMap(({ tool, at }) =>
    ownTools(tool).map((name) => ({ ...kindOf(name), at: `${at}.${name}` })),
  );
}
