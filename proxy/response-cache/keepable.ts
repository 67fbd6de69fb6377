// Which requests have cached responses, and which responses are stored. Never those that depend on anything but the
// request: what a vendor stores or looks up, several choices, what only one account can read, what did not end well.

import { plainNumber } from '../../common/exact-number.ts';
import { objectsOf } from '../../common/json.ts';
import type { CallTarget, ChatCall } from '../call.ts';
import { isFrom, issuerOf, type Opaque, unwrapOpaque } from '../conversation/opaque.ts';
import { isGiven } from '../conversation/options.ts';
import type { Finish } from '../conversation/response.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import type { OwnTool } from '../formats/own-tools.ts';
import type { Target } from '../providers/provider.ts';
import type { NotStored } from './results.ts';

/** Undefined: a cached response may serve the request. */
export function reasonNotToLookUp({ caller, request }: ChatCall): NotStored | undefined {
  if (caller.principal.organization.recordKeys === undefined) return 'no_record_key';
  // Its text in one form would take too long to write.
  if (request.isLarge === true) return 'large_request';
  return reasonNotToRepeat(request);
}

/** Why a response depends on more than its request, or acts. Undefined: another target may generate it as well. */
export function reasonNotToRepeat(request: ChatRequest): 'state' | 'own_tools' | 'choices' | undefined {
  if (hasState(request)) return 'state';
  if (hasOwnTools(request)) return 'own_tools';
  const choices = plainNumber(request.body.n);
  return choices !== undefined && choices !== 1 ? 'choices' : undefined;
}

/** Names of something that the vendor has, or will have: not everything that decides about the response is in the body. */
const stateful = [
  'previous_response_id',
  'conversation',
  'prompt',
  'background',
  'container',
  'cachedContent',
] as const;

function hasState({ client, body }: ChatRequest): boolean {
  if (body.store === true) return true;
  if (client === undefined) return false;
  if (client.path.compacts === true || client.isEncoded === true) return true;
  if (client.store !== undefined && client.body.store !== false) return true;
  return stateful.some((name) => isGiven(client.body[name]) && client.body[name] !== false);
}

function hasOwnTools({ client, body }: ChatRequest): boolean {
  if (isGiven(body.web_search_options)) return true;
  if (objectsOf(body.tools).some(({ type }) => type !== 'function' && type !== 'custom')) return true;
  return client?.translation.ownTools?.(client.body).some(isRunByVendor) === true;
}

function isRunByVendor({ needs, cost }: OwnTool): boolean {
  return needs === 'account' || needs.length > 0 || cost !== 'nothing';
}

/** A tool that the response calls is the caller's own. */
export function isUsualEnd({ reason }: Finish): boolean {
  return reason === 'stop' || reason === 'tool_calls';
}

/** The issuers of the parts of a request that only they can read. Nearly always none. */
export function issuersIn(text: string): readonly Opaque[] {
  return [...text.matchAll(wrapped)].flatMap(([value]) => unwrapOpaque(value) ?? []);
}

const wrapped = /gw1_ey[\w-]+/g;

/** Whether this target got the request without some of these parts. */
export function areForeign(parts: readonly Opaque[], { provider, providerKeyId }: Target): boolean {
  if (parts.length === 0) return false;
  const issuer = issuerOf(provider.name, providerKeyId);
  return parts.some((one) => !isFrom(one, issuer));
}

/** Whether the two forms of a response say the same to this client: not for tools and sound that only one of them has. */
export function hasOtherForm({ body }: ChatRequest): boolean {
  if (isGiven(body.functions) || isGiven(body.audio)) return false;
  return !objectsOf(body.tools).some(({ type }) => type === 'custom');
}

/** The changes of a route for a target, as text: a response with others is another one. */
export function overridesText({ overrides }: Pick<CallTarget, 'overrides'>): string {
  const { maxOutputTokens = null, reasoningEffort = null } = overrides ?? {};
  return overrides === undefined ? '' : JSON.stringify([maxOutputTokens, reasoningEffort]);
}
