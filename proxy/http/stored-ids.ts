// Ids of responses that a vendor stores, on their way in and out. A request may only name what its owner has stored,
// and goes to the account that has it.
import { createHash } from 'node:crypto';
import { eventData } from '../../common/event-stream.ts';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../common/json.ts';
import { isUuid } from '../../common/uuid.ts';
import type { Caller } from '../access/authenticator.ts';
import { isSealed, ownerOf, SealedIds, type StoredId } from '../access/sealed-ids.ts';
import { type ChatCall, callTargets, withTargets } from '../call.ts';
import { isGiven } from '../conversation/options.ts';
import { GatewayError } from '../errors.ts';
import type { ClientRequest } from '../formats/client-format.ts';
import { SseSplitter } from '../formats/sse.ts';
import { nativeFormat, type Target } from '../providers/provider.ts';
import type { AttemptResult } from '../upstream/attempt.ts';
import { RewrittenStream } from './rewritten-stream.ts';

/** Undefined if nothing is stored for the caller: by the organization's setting, or because the key is the caller's. */
export function sealedIdsOf({ principal, direct }: Caller): SealedIds | undefined {
  const { storedResponses, recordKeys } = principal.organization;
  if (direct || !storedResponses || recordKeys === undefined) return undefined;
  return new SealedIds(recordKeys, ownerOf(principal));
}

/**
 * Adds what its vendor may store for the caller, and who the caller is to the vendor.
 * @throws GatewayError response_not_found
 */
export function withOwner(authorized: ChatCall): ChatCall {
  const { client } = authorized.request;
  if (client?.translation.name !== 'responses' || authorized.caller.direct) return authorized;
  const call = authorized.route === undefined ? authorized : pinnedRoute(authorized, client);
  const { request, model, targets } = call;
  const [target] = targets;
  if (target === undefined || nativeFormat({ request, target, model }) === undefined) return call;
  const identified = withSafetyIdentifier(call, client);
  // Who else reads what a custom provider stores is not known.
  return target.provider.madeOf === undefined ? withStore(identified) : identified;
}

/** A hash, so that the vendor can block one scope and learns nothing about it. */
function withSafetyIdentifier(call: ChatCall, client: ClientRequest): ChatCall {
  const { principal } = call.caller;
  if (!principal.organization.safetyIdentifier) return call;
  const safetyIdentifier = createHash('sha256').update(ownerOf(principal)).digest('hex');
  return { ...call, request: { ...call.request, client: { ...client, safetyIdentifier } } };
}

/**
 * Leaves the targets of a route whose account has what the request names.
 * @throws GatewayError response_not_found
 */
function pinnedRoute(call: ChatCall, client: ClientRequest): ChatCall {
  const sealed = sealedIdsOf(call.caller);
  const pin = sealed && pinOf(openedIds(client.body, sealed));
  if (pin === undefined) return call;
  const left = callTargets(call)
    .map((at) => ({ ...at, targets: pinnedTo(pin.stored.providerKeyId, at.targets) }))
    .filter(({ targets }) => targets.length > 0);
  if (left.length > 0) return withTargets(call, left);
  if (pin.isRequired) throw notFound(pin.at);
  return call;
}

function pinOf(opened: readonly OpenedId[]): OpenedId | undefined {
  return opened.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))[0];
}

/** Opens the ids in a request, and leaves the target whose account has what they name. */
function withStore(call: ChatCall): ChatCall {
  const { caller, request, targets } = call;
  const { client } = request;
  const sealed = sealedIdsOf(caller);
  if (sealed === undefined || client === undefined) return call;
  const opened = openedIds(client.body, sealed);
  const pin = pinOf(opened);
  const pinned = pin === undefined ? targets : pinnedTo(pin.stored.providerKeyId, targets);
  if (pinned.length === 0 && pin?.isRequired === true) throw notFound(pin.at);
  const chosen = pinned.length === 0 ? targets : pinned;
  const accountId = chosen[0]?.providerKeyId;
  // A provider key of another form has no sealed ids, so nothing is stored with it.
  if (accountId === undefined || !isUuid(accountId)) return call;
  const own = opened.filter(({ stored }) => stored.providerKeyId === accountId);
  const other = opened.find(({ stored, isRequired }) => isRequired && stored.providerKeyId !== accountId);
  if (other !== undefined) throw notFound(other.at);
  const ids = new Map(own.map(({ id, stored }) => [id, stored.id]));
  const store = { ids, providerKeyId: accountId, ...(mayBeBackground(client, caller) && { isBackground: true }) };
  return { ...call, targets: chosen, request: { ...request, client: { ...client, store } } };
}

function mayBeBackground({ body, path }: ClientRequest, { principal }: Caller): boolean {
  return principal.organization.backgroundResponses && body.background === true && path.compacts !== true;
}

interface OpenedId extends NamedId {
  readonly stored: StoredId;
}

/** Opening one takes up to 50 microseconds, in one tick of the event loop for all. */
const openedMax = 1000;

/** Ids that are not required are only opened as long as there are few; the others do not reach the vendor. */
function openedIds(body: JsonObject, sealed: SealedIds): readonly OpenedId[] {
  const named = namedIds(body).filter(({ id, isRequired }) => isRequired || isSealed(id));
  const required = named.filter(({ isRequired }) => isRequired);
  if (required.length > openedMax) {
    throw new GatewayError('invalid_request', {
      param: 'input',
      message: `input has more than ${openedMax} references`,
    });
  }
  const few = named.length > openedMax ? required : named;
  return few.flatMap((one) => {
    const stored = sealed.open(one.id);
    if (stored === undefined && one.isRequired) throw notFound(one.at);
    return stored === undefined ? [] : [{ ...one, stored }];
  });
}

function pinnedTo(providerKeyId: string, targets: readonly Target[]): readonly Target[] {
  return targets.filter((target) => target.providerKeyId === providerKeyId);
}

/** Another owner's is as if it had never been. */
export function notFound(param?: string): GatewayError {
  return new GatewayError('response_not_found', param === undefined ? {} : { param });
}

interface NamedId {
  readonly id: string;
  readonly at: string;
  /** The request makes no sense without what it names. */
  readonly isRequired: boolean;
}

function namedIds({ previous_response_id: previous, input }: JsonObject): readonly NamedId[] {
  const named: NamedId[] = [];
  const name = (id: unknown, at: string, isRequired: boolean) => {
    if (typeof id === 'string') named.push({ id, at, isRequired });
    else if (isGiven(id) && isRequired)
      throw new GatewayError('invalid_request', { param: at, message: `${at} must be a string` });
  };
  name(previous, 'previous_response_id', true);
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) continue;
    name(item.id, `input[${index}].id`, item.type === 'item_reference');
    name(item.approval_request_id, `input[${index}].approval_request_id`, true);
  }
  return named;
}

/** A response of the call with sealed ids, if its ids are those of stored items. */
export function withSealedIds(result: AttemptResult, { caller, request, targets }: ChatCall): AttemptResult {
  const { client } = request;
  const providerKeyId = targets[0]?.providerKeyId;
  const sealed = sealedIdsOf(caller);
  if (result.isNative !== true || client?.store === undefined) return result;
  if (sealed === undefined || providerKeyId === undefined) return result;
  if (isUnstored(client) && !isGiven(client.body.previous_response_id)) return result;
  const seal = sealing(sealed, providerKeyId);
  if (result.kind === 'complete') {
    const text = result.body.toString();
    return { ...result, body: Buffer.from(sealedText({ text, value: parseJson(text) }, seal)) };
  }
  const events = new SseSplitter(Number.POSITIVE_INFINITY);
  return new RewrittenStream(result, (bytes) =>
    Buffer.concat(events.push(bytes).map((event) => sealedEvent(event, seal))),
  );
}

function isUnstored({ body, path }: ClientRequest): boolean {
  return body.store === false || path.compacts === true;
}

type Seal = (id: string) => string;

/** Each event of a stream repeats the ids. */
export function sealing(sealed: SealedIds, providerKeyId: string): Seal {
  const known = new Map<string, string>();
  return (id) => {
    const made = known.get(id) ?? sealed.seal({ providerKeyId, id });
    known.set(id, made);
    return made;
  };
}

function sealedEvent(event: Buffer, seal: Seal): Buffer {
  const data = eventData(event);
  if (data === undefined) return event;
  const ids = idsIn(parseJson(data));
  return ids.size === 0 ? event : Buffer.from(replaced(event.toString(), ids, seal));
}

/** A response, or a page of its items. */
export interface StoredText {
  readonly text: string;
  /** The text as JSON. */
  readonly value: unknown;
}

export function sealedText({ text, value }: StoredText, seal: Seal): string {
  return replaced(text, idsIn(value), seal);
}

/** Only whole strings are replaced; a quote inside of a string is escaped. */
function replaced(text: string, ids: ReadonlySet<string>, seal: Seal): string {
  return text.replaceAll(idString, (string, id: string) => (ids.has(id) ? `"${seal(id)}"` : string));
}

const idString = /"([a-z]{1,16}_[A-Za-z0-9]{8,128})"/g;
const vendorId = /^[a-z]{1,16}_[A-Za-z0-9]{8,128}$/;

/** Members that name a response or one of its items (SDK types `Response`, `ResponseStreamEvent`, `ResponseItemList`). */
const idMembers = ['id', 'item_id', 'response_id', 'previous_response_id', 'first_id', 'last_id'] as const;
const lists = ['output', 'data', 'instructions'] as const;
const parts = ['response', 'item'] as const;

function idsIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (!isObject(value)) return found;
  for (const name of idMembers) {
    const id = value[name];
    if (typeof id === 'string' && vendorId.test(id)) found.add(id);
  }
  for (const name of parts) idsIn(value[name], found);
  for (const name of lists) for (const item of objectsOf(value[name])) idsIn(item, found);
  return found;
}
