// Writes a request body for a vendor that uses the callers' format: the caller's body with the vendor's model name,
// without fields that the vendor would refuse for reasons the caller cannot know, and with the usage of a stream always
// requested.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { extensionFields } from '../../conversation/fields.ts';
import type { MessageField } from '../../conversation/message-fields.ts';
import { isGiven } from '../../conversation/options.ts';
import { commonHeaders, type FormatTarget, type WrittenRequest } from '../format.ts';
import { citedField, markedFields, withoutMarks } from './cache-marks.ts';
import { ownHistory } from './history.ts';
import { givenInMessages } from './message-fields.ts';
import { passesToVendor, passingBody } from './passed-fields.ts';
import type { ChatFormatCall } from './read-request.ts';

export function writeChatRequest(call: ChatFormatCall): WrittenRequest {
  const { body, dropped, emulated } = passedBody(call);
  return {
    headers: commonHeaders(call.request.stream),
    body: JSON.stringify(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
  };
}

export interface PassedBody {
  readonly body: JsonObject;
  /** Fields that the vendor does not get. */
  readonly dropped: readonly string[];
  /** Fields whose effect is emulated. */
  readonly emulated: readonly string[];
}

export function passedBody({ request, model, capabilities, target }: ChatFormatCall): PassedBody {
  const { messages, emulated } = ownHistory(request.messages);
  const passing = passingBody(request.body, target.provider.passesField ?? passesToVendor);
  const body: JsonObject = { ...passing.body, model, messages };
  const dropped = [
    ...passing.dropped,
    ...dropMetadata(body),
    ...moveOutputLimit(body, capabilities),
    ...dropMarks(body, capabilities),
    ...givenInMessages(request.messages, foreignInMessages),
    ...(request.client === undefined ? [] : dropForeign(body, capabilities, target)),
  ];
  if (request.stream) body.stream_options = { ...streamOptions(body), include_usage: true };
  return { body, dropped, emulated };
}

/** What other providers' responses have, which `ownHistory` removes. */
export const foreignInMessages: readonly MessageField[] = ['messages.extra_content', 'messages.thinking_blocks'];

/** Callers add labels for their own use. The vendors accept labels only on responses that they store. */
export function keepsMetadata(body: JsonObject): boolean {
  return body.store === true;
}

function dropMetadata(body: JsonObject): string[] {
  if (!isGiven(body.metadata) || keepsMetadata(body)) return [];
  delete body.metadata;
  return ['metadata'];
}

/**
 * Removes marks that other vendors' formats have on parts and this one would refuse. Some servers of this format accept
 * them.
 */
function dropMarks(body: JsonObject, { cacheMarks }: ModelCapabilities): string[] {
  if (cacheMarks) return [];
  const controls = markedFields(body).filter((name) => name.endsWith('.cache_control'));
  const marked = [...controls, ...citedField(body)];
  if (marked.length > 0) Object.assign(body, withoutMarks(body));
  return marked;
}

/** A model that knows only one of the two fields refuses the other. If both are given, the one it knows is kept. */
function moveOutputLimit(body: JsonObject, { outputLimit }: ModelCapabilities): string[] {
  if (outputLimit === 'either') return [];
  const other = outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (!isGiven(body[other])) return [];
  const isSecond = isGiven(body[outputLimit]);
  if (!isSecond) body[outputLimit] = body[other];
  delete body[other];
  return isSecond ? [other] : [];
}

/**
 * Removes what this model would refuse from a request that came in another format: its client cannot know which fields
 * chat completions have, nor what each model takes.
 */
function dropForeign(body: JsonObject, capabilities: ModelCapabilities, { provider }: FormatTarget): string[] {
  const { reasoning, reasoningOff, effortXhigh, sampling } = capabilities;
  // Servers of open models take extensions, and their operator lists which.
  const isVendor = provider.passesField === passesToVendor;
  const foreign = [
    ...(isVendor ? extensionFields : []),
    ...(sampling ? [] : (['temperature', 'top_p'] as const)),
    ...(reasoning === 'none' || (body.reasoning_effort === 'none' && !reasoningOff) ? ['reasoning_effort'] : []),
  ].filter((name) => isGiven(body[name]));
  for (const name of foreign) delete body[name];
  const { reasoning_effort: effort } = body;
  if (effort === 'max' || effort === 'xhigh') body.reasoning_effort = effortXhigh ? 'xhigh' : 'high';
  // Without reasoning there is nothing that an effort of none would turn off.
  return foreign.filter((name) => name !== 'reasoning_effort' || effort !== 'none');
}

function streamOptions(body: JsonObject): JsonObject {
  return isObject(body.stream_options) ? body.stream_options : {};
}
