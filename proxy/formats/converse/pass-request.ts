// A client's request for the vendor of its own format: as it came, except the vendor's own tools, reasoning that
// another vendor wrote, and a limit of output tokens that the gateway chose. Parts that name something of the whole
// vendor account are refused if the key is not the caller's.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientRequest, PassedRequest } from '../client-format.ts';
import { ofAccount, refusedField } from '../client-losses.ts';
import { passedBody } from '../splice.ts';
import { ownAccountFields } from './client-options.ts';
import { accountFields } from './client-request.ts';
import { chosenName, ownToolName } from './client-tools.ts';

export interface Passing {
  /** The key is the caller's, and so is everything that it can reach. */
  readonly isOwnKey: boolean;
  /** The model refuses reasoning without its signature. */
  readonly isClaude: boolean;
  /** The output limit that the gateway chose, because the caller gave none. */
  readonly outputTokens: unknown;
}

/** @throws GatewayError unsupported_parameter */
export function passConverseRequest(client: ClientRequest, passing: Passing): PassedRequest {
  const { body } = client;
  const { isOwnKey, isClaude, outputTokens } = passing;
  const changed = new Map<string, string>();
  const dropped: string[] = [];
  if (!isOwnKey) {
    refuseAccount(body);
    withoutOwnTools(body, changed, dropped);
  }
  const messages = isClaude ? withoutUnsigned(body.messages) : undefined;
  if (messages !== undefined) changed.set('messages', writeJson(messages));
  if (isGiven(outputTokens)) {
    const { inferenceConfig: config } = body;
    changed.set('inferenceConfig', writeJson({ ...(isObject(config) && config), maxTokens: outputTokens }));
  }
  return { body: passedBody(client, changed), dropped, headers: [] };
}

/** @throws GatewayError unsupported_parameter */
function refuseAccount(body: JsonObject): void {
  for (const name of accountFields) if (isGiven(body[name])) throw ofAccount(name);
  const { additionalModelRequestFields: extra } = body;
  for (const name of ownAccountFields) {
    if (isObject(extra) && isGiven(extra[name])) throw ofAccount(`additionalModelRequestFields.${name}`);
  }
  refuseLocations(body.system, 'system');
  for (const [at, { content }] of objectsOf(body.messages).entries())
    refuseLocations(content, `messages[${at}].content`);
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

/** Tools that Claude's vendor defines but the client runs: they reach nothing at the vendor. */
const clientRun = /^(?:custom|(?:bash|text_editor|computer|memory)_\d{8})$/;

/** @throws GatewayError unsupported_parameter if one of them is demanded */
function withoutOwnTools(body: JsonObject, changed: Map<string, string>, dropped: string[]): void {
  const { toolConfig: config, additionalModelRequestFields: extra } = body;
  if (isObject(config) && objectsOf(config.tools).some(isSystemTool)) {
    const demanded = chosenName(config.toolChoice);
    if (objectsOf(config.tools).some(({ systemTool }) => isObject(systemTool) && systemTool.name === demanded)) {
      throw refusedField(
        'toolConfig.toolChoice',
        'toolConfig.toolChoice names a tool of the vendor, which is not enabled',
      );
    }
    const tools = objectsOf(config.tools).filter((tool) => !isSystemTool(tool));
    const isLeft = tools.some(({ toolSpec }) => isGiven(toolSpec));
    // The vendor refuses an empty list.
    changed.set('toolConfig', isLeft ? writeJson({ ...config, tools }) : 'null');
    dropped.push(ownToolName);
  }
  if (!isObject(extra) || !objectsOf(extra.tools).some(isVendorRun)) return;
  const { tools: _offered, ...others } = extra;
  const tools = objectsOf(extra.tools).filter((tool) => !isVendorRun(tool));
  changed.set('additionalModelRequestFields', writeJson({ ...others, ...(tools.length > 0 && { tools }) }));
  dropped.push('additionalModelRequestFields.tools');
}

function isSystemTool({ systemTool }: JsonObject): boolean {
  return isGiven(systemTool);
}

function isVendorRun({ type }: JsonObject): boolean {
  return isGiven(type) && !clientRun.test(String(type));
}

/** @returns undefined if nothing changes */
function withoutUnsigned(messages: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(messages) || !objectsOf(messages).some(({ content }) => objectsOf(content).some(isUnsigned))) {
    return undefined;
  }
  return messages.flatMap((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.content)) return [message];
    const content = message.content.filter((block: unknown) => !isObject(block) || !isUnsigned(block));
    // The vendor refuses a message without content.
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
}

/** Reasoning of a model of another vendor. */
function isUnsigned({ reasoningContent }: JsonObject): boolean {
  const text = isObject(reasoningContent) ? reasoningContent.reasoningText : undefined;
  return isObject(text) && (!isGiven(text.signature) || text.signature === '');
}
