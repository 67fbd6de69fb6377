// The key of a cached response: an HMAC, with a key that only the organization's proxies have, over everything that
// decides about the response. A reader of Redis learns nothing from it, not even which requests of different
// organizations are equal. A change of guardrails, allow-lists, settings or of the route leaves all earlier responses without a
// key that anyone computes.
import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../../common/canonical-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { RecordKey } from '../access/organization-key.ts';
import type { OrganizationRecord, Principal } from '../access/principal.ts';
import type { Route } from '../access/routes.ts';
import type { ChatCall } from '../call.ts';
import { clientBody } from '../formats/chat-completions/read-request.ts';
import { guardrailsFor } from '../guardrails/compiled.ts';

/** Of the key's content: another one has other keys. */
const version = 'response-cache 1';

/**
 * Members of a body that no model sees: how the response is delivered, and who is asking for which purpose. Vendors of
 * all formats have them at the top of the body.
 */
const excluded: ReadonlySet<string> = new Set([
  ...['stream', 'stream_options', 'user', 'metadata'],
  ...['safety_identifier', 'prompt_cache_key', 'client_metadata'],
]);

/** @param call after the inspection of its input. @returns the part of the body that decides about the response */
export function decisiveText({ request }: Pick<ChatCall, 'request'>): string {
  return canonicalJson(decisiveBody(clientBody(request)));
}

export interface KeyedRequest extends Pick<ChatCall, 'caller' | 'request'> {
  readonly route: Route;
  /** See {@link decisiveText}. */
  readonly text: string;
}

/**
 * @param recordKey the newest generation: after a rotation nothing that was stored before is found
 * @returns 32 bytes
 */
export function cacheKeyOf({ caller, request, route, text }: KeyedRequest, recordKey: RecordKey): Buffer {
  const { client } = request;
  const { organization, key } = caller.principal;
  const { scope } = key;
  const parts = [
    ...[version, organization.id, client?.translation.name ?? 'chat_completions'],
    // The version of the format and its betas.
    client?.headers ?? [],
    ...[route.name, route.id, route.revision, routeDigest(route)],
    ...[organization.revision, organizationDigest(organization)],
    guardrailsFor(caller).map(({ id, revision }) => [id, revision]),
    [caller.principal, caller.project].map(allowedModels),
    route.cache?.perScope === true ? [scope.kind, scope.id] : null,
  ];
  return createHmac('sha256', hmacKeyOf(recordKey))
    .update(`${JSON.stringify(parts)}\n`)
    .update(text)
    .digest();
}

/** The lists of each level, because each of them decides alone. */
function allowedModels(principal: Principal | undefined): readonly (readonly string[])[] {
  if (principal === undefined) return [];
  const { organization, scope, key } = principal;
  return [organization.allowedModels, scope?.allowedModels ?? [], key.allowedModels].map((list) => [...list].sort());
}

/** The body without what no model sees. */
export function decisiveBody(body: JsonObject): JsonObject {
  const decisive = Object.fromEntries(Object.entries(body).filter(([name]) => !excluded.has(name)));
  if (!Array.isArray(decisive.system)) return decisive;
  return { ...decisive, system: decisive.system.filter((block: unknown) => !isAttribution(block)) };
}

/**
 * The first block of the system prompt of Claude Code, which names its version and differs from request to request. Only
 * the fields that it really has, in their own form: anything else could carry text for the model, and its sender
 * would choose the response that others get.
 */
const attribution =
  /^x-anthropic-billing-header:(?: (?:cc_version=[\w.-]{1,32}|cc_entrypoint=[a-z-]{1,16}|cch=[0-9a-f]{1,16});)+ ?$/;

function isAttribution(block: unknown): boolean {
  return isObject(block) && block.type === 'text' && typeof block.text === 'string' && attribution.test(block.text);
}

/**
 * Revisions alone would be enough while the database only goes forward. After a restore a revision may stand for another
 * content.
 */
function organizationDigest(organization: OrganizationRecord): string {
  const known = organizationDigests.get(organization);
  if (known !== undefined) return known;
  const { guardrails, modelAliases, ownTools, storedResponses, backgroundResponses, pricedOptions } = organization;
  const made = digest([guardrails, modelAliases, ownTools, storedResponses, backgroundResponses, pricedOptions]);
  organizationDigests.set(organization, made);
  return made;
}

/** A record is never changed: another one takes its place. */
const organizationDigests = new WeakMap<OrganizationRecord, string>();
const routeDigests = new WeakMap<Route, string>();

function routeDigest(route: Route): string {
  const known = routeDigests.get(route);
  if (known !== undefined) return known;
  const made = digest(route);
  routeDigests.set(route, made);
  return made;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

const hmacKeys = new WeakMap<RecordKey, Buffer>();

function hmacKeyOf(recordKey: RecordKey): Buffer {
  const known = hmacKeys.get(recordKey);
  if (known !== undefined) return known;
  const made = recordKey.keyFor('response-cache key 1');
  hmacKeys.set(recordKey, made);
  return made;
}
