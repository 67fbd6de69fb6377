// A client's request for the vendor of its own format: as it came, except the model's name, a ceiling of output tokens
// that the gateway chose, tools of the vendor that are not enabled, and everything that the vendor's whole account
// shares: with a stored key, files and prompts are refused, and ids of stored items are those of their owner.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientRequest, ClientStore, PassedRequest } from '../client-format.ts';
import type { ToolRights } from '../own-tools.ts';
import { passedBody } from '../splice.ts';
import { comparedResponse, refuseAccount, withoutComparison } from './account-fields.ts';
import { offeringItems, permittedTools } from './own-tools.ts';

export interface Passing extends ToolRights {
  /** The vendor's name of the model. */
  readonly model: string;
  /** The output limit that applies, if there is one. */
  readonly outputTokens: unknown;
  /** The response is written again, so it has not the ids of the stored one. */
  readonly isGuarded: boolean;
}

/** @throws GatewayError unsupported_parameter */
export function passResponsesRequest(client: ClientRequest, passing: Passing): PassedRequest {
  const { body, headers } = client;
  const { model, isOwnKey, outputTokens } = passing;
  const store = passing.isGuarded ? undefined : client.store;
  // The request for a compaction has no fields for what only a response has.
  const isResponse = client.path.compacts !== true;
  const { tools, dropped } = permittedTools(body, passing);
  const changed = new Map<string, string>();
  const change = (name: string, value: unknown) => changed.set(name, writeJson(value));
  if (body.model !== model) change('model', model);
  if (tools !== undefined) change('tools', tools);
  if (isResponse && isGiven(outputTokens) && !isGiven(body.max_output_tokens)) {
    change('max_output_tokens', outputTokens);
  }
  if (isOwnKey) return { body: passedBody(client, changed), dropped, headers };
  refuseAccount(body, passing);
  checkBackground(body, store);
  if (isResponse && store === undefined && body.store !== false) change('store', false);
  if (isResponse && client.safetyIdentifier !== undefined && !isGiven(body.safety_identifier)) {
    change('safety_identifier', client.safetyIdentifier);
  }
  const previous = storedId(body.previous_response_id, 'previous_response_id', store);
  if (previous !== undefined) change('previous_response_id', previous);
  const input = passedInput(body, store, passing);
  if (input !== undefined) change('input', input.items);
  const options = withoutComparison(body.prompt_cache_options);
  if (options !== undefined) change('prompt_cache_options', options);
  const lost = [...(input?.dropped ?? []), ...(options === undefined ? [] : [comparedResponse])];
  return { body: passedBody(client, changed), dropped: [...dropped, ...lost], headers };
}

/**
 * A response in the background is read by its id, so it has to be stored.
 * @throws GatewayError unsupported_parameter
 */
function checkBackground({ background, store: wanted }: JsonObject, store: ClientStore | undefined): void {
  if (!isGiven(background) || background === false) return;
  if (background !== true) throw unsupported('background', 'background must be true or false');
  if (store === undefined || wanted === false) {
    throw unsupported('background', 'background needs a stored response, and this one is not stored');
  }
  if (store.isBackground !== true) {
    throw unsupported('background', 'background is not supported: the organization has not enabled it');
  }
}

/**
 * @returns the vendor's id; undefined if there is none
 * @throws GatewayError unsupported_parameter if nothing is stored
 */
function storedId(id: unknown, at: string, store: ClientStore | undefined): string | undefined {
  if (!isGiven(id)) return undefined;
  const stored = typeof id === 'string' ? store?.ids.get(id) : undefined;
  if (stored === undefined) {
    throw unsupported(at, `${at} is not supported here: no response is stored, so send the whole conversation`);
  }
  return stored;
}

interface PassedInput {
  readonly items: readonly unknown[];
  readonly dropped: readonly string[];
}

/**
 * The vendor loads an item that it has stored by the item's id alone, for any caller. So only ids of the owner pass.
 * @returns undefined if nothing changes
 */
function passedInput(
  { input }: JsonObject,
  store: ClientStore | undefined,
  rights: ToolRights,
): PassedInput | undefined {
  if (!Array.isArray(input) || !objectsOf(input).some(mayChange)) return undefined;
  const dropped = new Set<string>();
  const items = input.flatMap((item: unknown, index) => {
    if (!isObject(item)) return [item];
    if (hasTools(item)) {
      const permitted = permittedTools(item, rights);
      for (const name of permitted.dropped) dropped.add(name);
      return [{ ...withOwnId(item, index, store), ...(permitted.tools && { tools: permitted.tools }) }];
    }
    const passed = withoutParsed(withOwnId(item, index, store));
    // Without its stored or encrypted form, the vendor cannot read its reasoning.
    if (item.type !== 'reasoning' || isGiven(item.encrypted_content) || isGiven(passed.id)) return [passed];
    dropped.add('input.reasoning');
    return [];
  });
  return { items, dropped: [...dropped] };
}

function withOwnId(item: JsonObject, index: number, store: ClientStore | undefined): JsonObject {
  const { approval_request_id: request } = item;
  if (isGiven(request)) {
    return { ...item, approval_request_id: storedId(request, `input[${index}].approval_request_id`, store) };
  }
  if (!hasId(item)) return item;
  const { id, ...rest } = item;
  const own = typeof id === 'string' ? store?.ids.get(id) : undefined;
  if (own !== undefined) return { ...item, id: own };
  if (item.type === 'item_reference') storedId(id, `input[${index}]`, store);
  return rest;
}

function mayChange(item: JsonObject): boolean {
  return hasId(item) || isGiven(item.approval_request_id) || hasTools(item) || withoutParsed(item) !== item;
}

/** Removes what the SDK adds to parsed output (types `ParsedResponseFunctionToolCall`, `ParsedResponseOutputText`). */
function withoutParsed(item: JsonObject): JsonObject {
  const { parsed_arguments: args, ...rest } = item;
  if (args !== undefined) return rest;
  const { content } = item;
  if (!Array.isArray(content) || !objectsOf(content).some(({ parsed }) => parsed !== undefined)) return item;
  return { ...item, content: content.map((part: unknown) => (isObject(part) ? withoutMember(part, 'parsed') : part)) };
}

function withoutMember(value: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name));
}

function hasId({ id }: JsonObject): boolean {
  return isGiven(id);
}

/** Tools that the client offers later, or has found for the model. */
function hasTools({ type }: JsonObject): boolean {
  return offeringItems.has(type);
}
