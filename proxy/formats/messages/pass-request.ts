// A client's request for a vendor with the same format: as it came, except the model's name, tools of the vendor that
// the organization's settings do not let pass, and thinking that another vendor wrote. Parts that name something of the whole vendor account are refused if the key
// is not the caller's.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { unsupported } from '../../conversation/invalid.ts';
import type { ClientRequest, PassedRequest } from '../client-format.ts';
import { permits, type ToolRights } from '../own-tools.ts';
import { passedBody } from '../splice.ts';
import { withoutBlocks } from '../vendor-reasoning.ts';
import { comparedMessage, comparesMessage, refuseAccount } from './account-fields.ts';
import { kindOf } from './own-tools.ts';
import { ownToolName } from './read-tools.ts';

/**
 * @param model the vendor's name of it; undefined if the path has it
 * @throws GatewayError unsupported_parameter
 */
export function passMessagesRequest(
  client: ClientRequest,
  model: string | undefined,
  rights: ToolRights,
): PassedRequest {
  const { body, headers } = client;
  if (!rights.isOwnKey) refuseAccount(client, rights);
  const { tools, dropped } = withoutOwnTools(body, rights);
  const messages = withoutBlocks(body.messages, isUnsigned);
  const changed = new Map<string, string>();
  if (model !== undefined && body.model !== model) changed.set('model', JSON.stringify(model));
  if (tools !== undefined) changed.set('tools', writeJson(tools));
  if (messages !== undefined) changed.set('messages', writeJson(messages));
  const lost = messages === undefined ? [] : ['messages.content.thinking'];
  if (!rights.isOwnKey && comparesMessage(body)) {
    changed.set('diagnostics', 'null');
    lost.push(comparedMessage);
  }
  return { body: passedBody(client, changed), dropped: [...dropped, ...lost], headers };
}

/** @throws GatewayError unsupported_parameter if a tool is demanded that does not pass */
function withoutOwnTools(
  { tools, tool_choice: choice }: JsonObject,
  rights: ToolRights,
): {
  readonly tools: readonly unknown[] | undefined;
  readonly dropped: readonly string[];
} {
  if (!Array.isArray(tools)) return { tools: undefined, dropped: [] };
  const passes = (tool: unknown) => {
    const kind = kindOf(tool);
    return kind === undefined || permits(rights, kind);
  };
  const refused = objectsOf(tools.filter((tool: unknown) => !passes(tool)));
  if (refused.length === 0) return { tools: undefined, dropped: [] };
  if (isObject(choice) && choice.type === 'tool' && refused.some(({ name }) => name === choice.name)) {
    throw unsupported('tool_choice', 'tool_choice names a tool of the vendor, which is not enabled');
  }
  return { tools: tools.filter(passes), dropped: refused.map(ownToolName) };
}

/** Thinking of a model of another vendor, which no vendor accepts. */
function isUnsigned({ type, signature }: JsonObject): boolean {
  return type === 'thinking' && signature === '';
}
