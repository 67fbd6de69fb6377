// Which streams are recovered: the setting of the route, and requests whose response loses nothing when it is read as
// chat completions. And what a model has to be able to do to continue a text.
import { isObject, type JsonObject, objectsOf, someObject } from '../../common/json.ts';
import { type ChatCall, callAt, callTargets, targetWith } from '../call.ts';
import { isGiven } from '../conversation/options.ts';
import { textTokensMax } from '../conversation/text-tokens.ts';
import { count } from '../conversation/usage.ts';
import { type ChatRequest, withBeginning } from '../formats/chat-completions/read-request.ts';
import type { FormatName } from '../formats/format.ts';
import { mayThinkUnseen } from '../pricing/charge.ts';
import { nativeFormat, type Target } from '../providers/provider.ts';
import type { Continuation } from './recovering-stream.ts';

export type Recovery = NonNullable<NonNullable<ChatCall['route']>['recovery']>;

/** Undefined: the stream is passed on as it is, and ends with an error when it breaks off. */
export function recoveryOf(call: ChatCall): Recovery | undefined {
  const { route, request } = call;
  if (route?.recovery === undefined || !request.stream || call.countsOnly === true) return undefined;
  return losesNothing(call) ? route.recovery : undefined;
}

/** Whether all of the response can be read as chat completions and written in the client's format. */
function losesNothing(call: ChatCall): boolean {
  const { client, body, messages } = call.request;
  if (client === undefined || !hasNative(call)) return true;
  if (client.store !== undefined && client.body.store !== false) return false;
  if (isGiven(client.body.previous_response_id) || isGiven(client.body.conversation)) return false;
  const { include } = client.body;
  const wantsOpaque = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  const ownTools = client.translation.ownTools?.(client.body) ?? [];
  return !wantsOpaque && ownTools.length === 0 && hasOneText(body) && !wantsCitations(messages);
}

function hasNative(call: ChatCall): boolean {
  const { request } = call;
  return callTargets(call).some(({ targets, model, overrides }) =>
    targets.some((target) => nativeFormat({ request: { ...request, overrides }, target, model }) !== undefined),
  );
}

function hasOneText({ n, modalities }: JsonObject): boolean {
  const isText = !Array.isArray(modalities) || modalities.every((one) => one === 'text');
  return isText && (count(n) ?? 1) <= 1;
}

function wantsCitations(messages: ChatRequest['messages']): boolean {
  return messages.some(({ content }) => someObject(content, (part) => isGiven(part.citations)));
}

/** In UTF-16 units. It is in memory as long as its stream. */
const textMax = 256 * 1024;

/**
 * @param call to a route with `recovery: continue`
 * @param begin from now on, attempts get the request of this function
 */
export function continuationOf(call: ChatCall, begin: (change: ChangeRequest) => void): Continuation | undefined {
  if (!isPlain(call.request) || !callTargets(call).some(({ capabilities }) => capabilities.continuesText)) {
    return undefined;
  }
  return {
    textMax,
    from: (text) => {
      const tokens = textTokensMax(text);
      const fits = (target: Target) => mayContinue(call, target, text, tokens);
      if (!callTargets(call).some(({ targets }) => targets.some(fits))) return undefined;
      begin((request) => withBeginning(request, text, tokens) ?? request);
      return fits;
    },
  };
}

export type ChangeRequest = (request: ChatRequest) => ChatRequest;

/** Only such responses are texts that another text can follow. Workers would translate a large request as it came. */
function isPlain({ body, messages, isLarge }: ChatRequest): boolean {
  const { response_format: format, logprobs, web_search_options: search } = body;
  const isText = !isGiven(format) || (isObject(format) && format.type === 'text');
  const tools = objectsOf(body.tools).every(({ type }) => type === 'function' || type === 'custom');
  const isPlainText = isText && !isGiven(search) && tools && hasOneText(body) && !wantsCitations(messages);
  return isPlainText && isLarge !== true && logprobs !== true && messages.at(-1)?.role !== 'assistant';
}

/** Formats whose vendors document it (the assistant vendor's page "Prefill Claude's response"). */
const continuingFormats: ReadonlySet<FormatName> = new Set(['messages', 'converse']);

function mayContinue(call: ChatCall, target: Target, text: string, tokens: number): boolean {
  const { capabilities } = targetWith(call, target);
  const isAble = capabilities.prefill && capabilities.continuesText;
  if (!isAble || !continuingFormats.has(target.provider.format.name)) return false;
  const sent = callAt(call, target);
  const { client } = sent.request;
  // What its own format has and chat completions lack would be missing from here on.
  const isSame =
    client === undefined ||
    nativeFormat({ request: sent.request, target, model: sent.model }) === undefined ||
    client.losses.dropped.length === 0;
  return isSame && !mayThinkUnseen(sent) && withBeginning(sent.request, text, tokens) !== undefined;
}
