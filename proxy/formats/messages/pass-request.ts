// A client's request for a vendor with the same format: as it came, except the model's name, the vendor's own tools,
// and thinking that another vendor wrote. Parts that name something of the whole vendor account are refused if the key
// is not the caller's.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientRequest, PassedRequest } from '../client-format.ts';
import { ofAccount } from '../client-losses.ts';
import { passedBody } from '../splice.ts';
import { accountFields } from './read-request.ts';
import { isCallers, ownToolName } from './read-tools.ts';

/**
 * @param model the vendor's name of it
 * @param isOwnKey the key is the caller's, and so is everything that it can reach
 * @throws GatewayError unsupported_parameter
 */
export function passMessagesRequest(client: ClientRequest, model: string, isOwnKey: boolean): PassedRequest {
  const { body, headers } = client;
  if (!isOwnKey) refuseAccount(body);
  const { tools, dropped } = isOwnKey ? { tools: undefined, dropped: [] } : withoutOwnTools(body);
  const messages = withoutUnsigned(body.messages);
  const changed = new Map<string, string>();
  if (body.model !== model) changed.set('model', JSON.stringify(model));
  if (tools !== undefined) changed.set('tools', writeJson(tools));
  if (messages !== undefined) changed.set('messages', writeJson(messages));
  return { body: passedBody(client, changed), dropped, headers };
}

/** @throws GatewayError unsupported_parameter */
function refuseAccount(body: JsonObject): void {
  for (const name of accountFields) if (isGiven(body[name])) throw ofAccount(name);
  for (const [at, message] of objectsOf(body.messages).entries())
    refuseFiles(message.content, `messages[${at}].content`);
}

function refuseFiles(content: unknown, at: string): void {
  for (const [index, block] of objectsOf(content).entries()) {
    const { source } = block;
    if (isObject(source) && (source.type === 'file' || isGiven(source.file_id)))
      throw ofAccount(`${at}[${index}].source`);
    if (block.type === 'container_upload') throw ofAccount(`${at}[${index}]`);
    refuseFiles(block.content, `${at}[${index}].content`);
  }
}

/** Tools that the vendor defines but the client runs: they reach nothing at the vendor. */
const clientRun = /^(?:bash|text_editor|computer|memory)_\d{8}$/;

/** @throws GatewayError unsupported_parameter if one of them is demanded */
function withoutOwnTools(body: JsonObject): {
  readonly tools: readonly unknown[] | undefined;
  readonly dropped: readonly string[];
} {
  const { tools, tool_choice: choice } = body;
  if (!Array.isArray(tools)) return { tools: undefined, dropped: [] };
  const isOwn = (tool: unknown) => isObject(tool) && !isCallers(tool) && !clientRun.test(String(tool.type));
  const own = tools.filter(isOwn);
  if (own.length === 0) return { tools: undefined, dropped: [] };
  const names = new Set(own.map((tool: unknown) => (isObject(tool) ? tool.name : undefined)));
  if (isObject(choice) && choice.type === 'tool' && names.has(choice.name)) {
    throw unsupported('tool_choice', 'tool_choice names a tool of the vendor, which is not enabled');
  }
  const dropped = objectsOf(own).map(ownToolName);
  return { tools: tools.filter((tool: unknown) => !isOwn(tool)), dropped };
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

/** Thinking of a model of another vendor, which no vendor accepts. */
function isUnsigned({ type, signature }: JsonObject): boolean {
  return type === 'thinking' && signature === '';
}
