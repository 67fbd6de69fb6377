// What a request of the Responses API may name of the vendor's whole account: objects that all virtual keys would share.
// With a stored provider key it is refused.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import { notEnabled, ofAccount } from '../client-losses.ts';
import { permits, type ToolRights } from '../own-tools.ts';
import { kindOfItem } from './own-tools.ts';

/** @throws GatewayError unsupported_parameter */
export function refuseAccount({ prompt, store, input, tools }: JsonObject, rights: ToolRights): void {
  if (isGiven(prompt)) throw ofAccount('prompt');
  if (isGiven(store) && typeof store !== 'boolean') throw unsupported('store', 'store must be true or false');
  objectsOf(input).forEach((item, index) => {
    refuseIds(item, `input[${index}]`);
    const kind = kindOfItem(item);
    if (kind !== undefined && !permits(rights, kind)) throw notEnabled(`input[${index}]`);
  });
  objectsOf(tools).forEach((tool, index) => {
    refuseIds(tool, `tools[${index}]`);
  });
}

/** Members that name files, stores of vectors, containers and skills. */
const accountIds: ReadonlySet<string> = new Set([
  'file_id',
  'file_ids',
  'vector_store_ids',
  'container_id',
  'skill_id',
  // A way to hosts inside of the account's networks.
  'tunnel_id',
]);

/** Texts of the client, and what quotes the model's text. */
const notScanned: ReadonlySet<string> = new Set(['parameters', 'output_schema', 'annotations', 'metadata', 'action']);

/** @throws GatewayError unsupported_parameter */
function refuseIds(value: JsonObject, at: string): void {
  for (const [name, member] of Object.entries(value)) {
    if (!isGiven(member) || notScanned.has(name)) continue;
    const where = `${at}.${name}`;
    if (accountIds.has(name) || (name === 'container' && typeof member === 'string')) throw ofAccount(where);
    if (isObject(member)) refuseIds(member, where);
    objectsOf(member).forEach((one, index) => {
      refuseIds(one, `${where}[${index}]`);
    });
  }
}

/** As `x-svc-dropped-params` names it. */
export const comparedResponse = 'prompt_cache_options.comparison_response_id';

/**
 * The cache options without the response with which the vendor is to compare the request, and whose prompt it would
 * describe (SDK type `ResponseCreateParams.PromptCacheOptions`). The response is the same without it.
 * @returns undefined if nothing changes
 */
export function withoutComparison(options: unknown): JsonObject | undefined {
  if (!isObject(options) || !isGiven(options.comparison_response_id)) return undefined;
  const { comparison_response_id: _, ...rest } = options;
  return rest;
}
