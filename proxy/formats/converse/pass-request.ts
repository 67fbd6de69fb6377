// A client's request for the vendor of its own format: as it came, except the vendor's own tools, reasoning that
// another vendor wrote, and a limit of output tokens that the gateway chose. Parts that name something of the whole
// vendor account are refused if the key is not the caller's.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientRequest, PassedRequest } from '../client-format.ts';
import { notEnabled, ofAccount, ofOtherModels, refusedField } from '../client-losses.ts';
import { type OwnToolKind, permits, type ToolRights } from '../own-tools.ts';
import { innerClient, passedBody } from '../splice.ts';
import { withoutBlocks } from '../vendor-reasoning.ts';
import { ownAccountFields } from './client-options.ts';
import { accountFields } from './client-request.ts';
import { chosenName, ownToolName } from './client-tools.ts';
import { claudeKind, kindOfBlock, systemKind } from './own-tools.ts';

export interface Passing extends ToolRights {
  /** The model refuses reasoning without its signature. */
  readonly isClaude: boolean;
  /** The output limit that the gateway chose, because the caller gave none. */
  readonly outputTokens: unknown;
}

/** @throws GatewayError unsupported_parameter */
export function passConverseRequest(sent: ClientRequest, passing: Passing): PassedRequest {
  // A request whose tokens are counted is inside of another one.
  const client = sent.path.counts === true ? innerClient(sent, ['input', 'converse']) : sent;
  const { body } = client;
  const { isOwnKey, isClaude, outputTokens } = passing;
  const changed = new Map<string, string>();
  const dropped: string[] = [];
  if (!isOwnKey) refuseAccount(body, passing);
  withSystemTools(body, passing, { changed, dropped });
  withClaudeTools(body, passing, { changed, dropped });
  const messages = isClaude ? withoutBlocks(body.messages, isUnsigned) : undefined;
  if (messages !== undefined) changed.set('messages', writeJson(messages));
  if (isGiven(outputTokens)) {
    const { inferenceConfig: config } = body;
    changed.set('inferenceConfig', writeJson({ ...(isObject(config) && config), maxTokens: outputTokens }));
  }
  return { body: passedBody(client, changed), dropped, headers: [] };
}

/** @throws GatewayError unsupported_parameter */
function refuseAccount(body: JsonObject, rights: ToolRights): void {
  for (const name of accountFields) if (isGiven(body[name])) throw ofAccount(name);
  const { additionalModelRequestFields: extra } = body;
  for (const name of ownAccountFields) {
    if (isObject(extra) && isGiven(extra[name])) throw ofAccount(`additionalModelRequestFields.${name}`);
  }
  if (isObject(extra) && isGiven(extra.fallbacks)) throw ofOtherModels('additionalModelRequestFields.fallbacks');
  refuseLocations(body.system, 'system');
  for (const [at, { content }] of objectsOf(body.messages).entries()) {
    refuseLocations(content, `messages[${at}].content`);
    for (const [index, block] of objectsOf(content).entries()) {
      if (isRefused(rights, kindOfBlock(block))) throw notEnabled(`messages[${at}].content[${index}].toolUse`);
    }
  }
}

/** Files in a store of the account, which the vendor would read with its own rights. */
function refuseLocations(content: unknown, at: string): void {
  for (const [index, block] of objectsOf(content).entries()) {
    for (const [kind, value] of Object.entries(block)) {
      if (!isObject(value)) continue;
      const where = `${at}[${index}].${kind}`;
      if (isObject(value.source) && isGiven(value.source.s3Location)) throw ofAccount(`${where}.source.s3Location`);
      if (kind === 'toolResult') refuseLocations(value.content, `${where}.content`);
    }
  }
}

interface Changes {
  /** JSON text by the name of the member. */
  readonly changed: Map<string, string>;
  readonly dropped: string[];
}

/** SDK type `SystemTool`: tools of Nova models. @throws GatewayError unsupported_parameter if one is demanded */
function withSystemTools({ toolConfig: config }: JsonObject, rights: ToolRights, changes: Changes): void {
  if (!isObject(config)) return;
  const isOff = (tool: JsonObject) => isRefused(rights, systemKind(tool));
  const tools = objectsOf(config.tools);
  const off = tools.filter(isOff);
  if (off.length === 0) return;
  const demanded = chosenName(config.toolChoice);
  if (off.some(({ systemTool }) => isObject(systemTool) && systemTool.name === demanded)) {
    throw refusedField(
      'toolConfig.toolChoice',
      'toolConfig.toolChoice names a tool of the vendor, which is not enabled',
    );
  }
  const kept = tools.filter((tool) => !isOff(tool));
  // The vendor refuses a list without a tool.
  const isNone = kept.every(({ cachePoint }) => isGiven(cachePoint));
  changes.changed.set('toolConfig', isNone ? 'null' : writeJson({ ...config, tools: kept }));
  changes.dropped.push(ownToolName);
}

/** Claude's own tools, in the form of its vendor's own API. */
function withClaudeTools(body: JsonObject, rights: ToolRights, changes: Changes): void {
  const { additionalModelRequestFields: extra } = body;
  if (!isObject(extra)) return;
  const isOff = (tool: JsonObject) => isRefused(rights, claudeKind(tool));
  const { tools, ...others } = extra;
  const kept = objectsOf(tools).filter((tool) => !isOff(tool));
  if (kept.length === objectsOf(tools).length) return;
  const left = writeJson({ ...others, ...(kept.length > 0 && { tools: kept }) });
  changes.changed.set('additionalModelRequestFields', left);
  changes.dropped.push('additionalModelRequestFields.tools');
}

function isRefused(rights: ToolRights, kind: OwnToolKind | undefined): boolean {
  return kind !== undefined && !permits(rights, kind);
}

/** Reasoning of a model of another vendor. */
function isUnsigned({ reasoningContent }: JsonObject): boolean {
  const text = isObject(reasoningContent) ? reasoningContent.reasoningText : undefined;
  return isObject(text) && (!isGiven(text.signature) || text.signature === '');
}
