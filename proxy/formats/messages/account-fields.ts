// What a request of the Messages API may name of the vendor's whole account: objects that all virtual keys would share.
// With a stored provider key it is refused.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientRequest } from '../client-format.ts';
import { notEnabled, ofAccount, ofOtherModels } from '../client-losses.ts';
import { permits, type ToolRights } from '../own-tools.ts';
import { kindOfBlock, mcp } from './own-tools.ts';
import { accountFields } from './read-request.ts';

/** Whose customer the request is for (SDK type `MessageCreateParams`, field `user_profile_id`): profiles of the account. */
const profileHeader = 'anthropic-user-profile-id';

/** @throws GatewayError unsupported_parameter */
export function refuseAccount({ body, headers }: Pick<ClientRequest, 'body' | 'headers'>, rights: ToolRights): void {
  for (const name of accountFields) {
    const passes = name === 'mcp_servers' && permits(rights, mcp);
    if (isGiven(body[name]) && !passes) throw ofAccount(name);
  }
  // Its beta alone changes nothing (SDK type `BetaFallbacksParam`).
  if (isGiven(body.fallbacks)) throw ofOtherModels('fallbacks');
  if (headers.some((name, index) => index % 2 === 0 && name === profileHeader)) throw ofAccount(profileHeader);
  for (const [at, { content }] of objectsOf(body.messages).entries()) {
    refuseFiles(content, `messages[${at}].content`);
    refuseOwnTools(content, `messages[${at}].content`, rights);
  }
}

/** A conversation in which the vendor has run a tool demands this tool. */
function refuseOwnTools(content: unknown, at: string, rights: ToolRights): void {
  for (const [index, block] of objectsOf(content).entries()) {
    const kind = kindOfBlock(block);
    if (kind !== undefined && !permits(rights, kind)) throw notEnabled(`${at}[${index}]`);
    refuseOwnTools(block.tool_changes, `${at}[${index}].tool_changes`, rights);
  }
}

function refuseFiles(content: unknown, at: string): void {
  for (const [index, block] of objectsOf(content).entries()) {
    const { source } = block;
    const where = `${at}[${index}]`;
    if (block.type === 'container_upload') throw ofAccount(where);
    refuseFiles(block.content, `${where}.content`);
    if (!isObject(source)) continue;
    if (source.type === 'file' || isGiven(source.file_id)) throw ofAccount(`${where}.source`);
    // SDK type `ContentBlockSource`: a document of blocks.
    refuseFiles(source.content, `${where}.source.content`);
  }
}

/** As `x-svc-dropped-params` names it. */
export const comparedMessage = 'diagnostics.previous_message_id';

/**
 * Whether the vendor is to compare the request with another one of the account, whose prompt it would describe (SDK type
 * `DiagnosticsParam`). The response is the same without it.
 */
export function comparesMessage({ diagnostics }: JsonObject): boolean {
  return isObject(diagnostics) && isGiven(diagnostics.previous_message_id);
}
