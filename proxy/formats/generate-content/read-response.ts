// Reads a whole response into the shared shape. Metadata that only this vendor reports goes to top-level fields
// `cloud_ai_*`, unchanged, with one entry for each candidate that has it.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { ResponseText } from '../../conversation/output-mode.ts';
import { type CalledTool, imageExtra, type ResponseChoice } from '../../conversation/response.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import {
  type PassedFacts,
  type ReadResponse,
  type TranslatedCall,
  VendorFailure,
  type VendorResponse,
} from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { annotations } from './annotations.ts';
import { CallReader } from './calls.ts';
import { generateContentError } from './errors.ts';
import { finishOf } from './finish.ts';
import { logprobsOf } from './logprobs.ts';
import { type RequestPlan, requestPlan } from './request-plan.ts';
import {
  type Candidate,
  type FunctionCall,
  type ParsedResponse,
  parseResponse,
  type ResponsePart,
} from './response.ts';
import { callerSignature } from './signatures.ts';
import { audioField } from './sound.ts';
import { type Served, searchesOf, servedTierField, withServed } from './usage.ts';

export function readGenerateContentResponse(call: TranslatedCall, { head, body }: VendorResponse): ReadResponse {
  const parsed = parseExactJson(body.toString());
  const failure = generateContentError(parsed);
  if (failure !== undefined) throw new VendorFailure(failure);
  if (!isObject(parsed)) throw protocolError('the response is no JSON object');
  const response = parseResponse(parsed);
  const plan = requestPlan(call);
  const identity = identityOf(response, call);
  const calls = new CallReader(plan.names, call.model);
  const { candidates } = response;
  const usage = usageOf(response, call, { head, own: plan.own });
  const message = {
    ...identity,
    choices: choicesOf(response, {
      ...{ plan, identity, model: call.model },
      read: (one) => calls.read(one, identity.id),
    }),
    usage: usage ?? noUsage,
    extras: { ...metadataOf(candidates, response.block), ...servedTierField(call.request.options, head) },
  };
  return { message, usage, model: response.modelVersion };
}

export function readPassedContent(call: TranslatedCall, { head, body }: VendorResponse): PassedFacts | undefined {
  // No number is written again.
  const parsed = parseJson(body.toString());
  if (!isObject(parsed) || isGiven(parsed.error)) return undefined;
  const response = parseResponse(parsed);
  if (response.candidates.length === 0 && response.block === undefined) return undefined;
  const usage = usageOf(response, call, { head, own: requestPlan(call).own });
  return usage && { usage, model: response.modelVersion, responseId: identityOf(response, call).id };
}

function usageOf(
  { usage, candidates, toolTokens }: ParsedResponse,
  { request }: TranslatedCall,
  { head, own }: Pick<Served, 'head' | 'own'>,
): Usage | undefined {
  return withServed(usage, {
    ...{ head, own, toolTokens, requestedTier: request.options.service_tier },
    images: imagesOf(candidates.flatMap(({ parts }) => parts)),
    searches: candidates.reduce((sum, { grounding }) => sum + searchesOf(grounding, own), 0),
  });
}

export function identityOf({ responseId, modelVersion, createdAt }: ParsedResponse, { model, now }: TranslatedCall) {
  return {
    id: `chatcmpl-${responseId ?? now.toString(36)}`,
    created: Math.floor((createdAt ?? now) / 1000),
    model: modelVersion ?? model,
  };
}

/** Fields of a candidate beside its content. */
export type CandidateFacts = Pick<Candidate, 'grounding' | 'citation' | 'ratings'>;

/** The vendor's metadata on sources and filters. All three fields are always present. */
export function metadataOf(candidates: readonly CandidateFacts[], block: ParsedResponse['block']): JsonObject {
  const ratings = [...candidates.map((one) => one.ratings), ...(block ? [block.ratings] : [])];
  return {
    cloud_ai_citation_metadata: candidates.flatMap(({ citation }) => citation ?? []),
    cloud_ai_grounding_metadata: candidates.flatMap(({ grounding }) => grounding ?? []),
    cloud_ai_safety_results: ratings.filter((one) => one.length > 0),
  };
}

function blocked(native: string): ResponseChoice {
  return { finish: { reason: 'content_filter', native }, content: undefined, calls: [] };
}

type ReadCall = (call: FunctionCall) => CalledTool;

interface Reading {
  readonly plan: RequestPlan;
  readonly read: ReadCall;
  readonly identity: ReturnType<typeof identityOf>;
  /** The vendor's name of the requested model. */
  readonly model: string;
}

function choicesOf({ candidates, block }: ParsedResponse, reading: Reading): ResponseChoice[] {
  if (candidates.length > 0) {
    return candidates.toSorted((a, b) => a.index - b.index).map((one) => choiceOf(one, reading));
  }
  if (block !== undefined) return [blocked(block.reason)];
  throw protocolError('the response has no candidate and no reason for that');
}

function choiceOf(candidate: Candidate, reading: Reading): ResponseChoice {
  const { plan, read } = reading;
  const text = new ResponseText(plan.form);
  const { content, partStarts } = textOf(candidate, text);
  const called = candidate.parts.flatMap((part) => (part.kind === 'call' ? [read(part.call)] : []));
  // Only the first call is the response: the inputs of two calls together would not be JSON.
  const response = called.find(({ name }) => text.isResponseTool(name));
  const calls = called.filter(({ name }) => !text.isResponseTool(name));
  const whole = content + (response ? text.pushInput(response.arguments) : '') + text.end();
  const logprobs = logprobsOf(candidate.probabilities);
  return {
    finish: finishOf(candidate.finishReason, candidate.finishMessage, calls.length > 0),
    content: whole === '' ? undefined : whole,
    reasoning: candidate.parts.map((part) => (part.kind === 'thought' ? part.text : '')).join(''),
    calls,
    extras: { ...citedIn(candidate, whole, partStarts), ...madeIn(candidate, reading) },
    ...(logprobs && { logprobs }),
  };
}

/** The text, and the byte offset at which each part begins. */
function textOf({ parts }: Candidate, text: ResponseText) {
  let content = '';
  let bytes = 0;
  const partStarts = parts.map((part) => {
    const start = bytes;
    const message = part.kind === 'text' ? text.push(part.text) : '';
    content += message;
    bytes += Buffer.byteLength(message);
    return start;
  });
  return { content, partStarts };
}

function citedIn({ grounding }: Candidate, content: string, partStarts: number[]): JsonObject {
  const cited = grounding === undefined ? [] : annotations(grounding, content, partStarts);
  return cited.length > 0 ? { annotations: cited } : {};
}

/** Images, sound, and the vendor's signature of the text. */
function madeIn({ parts }: Candidate, { identity, model }: Reading): JsonObject {
  const images = parts.flatMap((part) => (part.kind === 'image' ? [imageOf(part, model)] : []));
  const sound = parts.flatMap((part) => (part.kind === 'audio' ? [part] : []));
  const audio = audioField(sound, identity.id, identity.created);
  const signature = parts.flatMap((part) => (part.kind === 'text' ? (part.signature ?? []) : [])).at(-1);
  return {
    ...(images.length > 0 && { images }),
    ...(audio !== undefined && { audio }),
    ...(signature !== undefined && signedText(signature, model)),
  };
}

export function imageOf({ url, signature }: Extract<ResponsePart, { kind: 'image' }>, model: string): JsonObject {
  return imageExtra(url, signature === undefined ? undefined : callerSignature(signature, model));
}

/** The field where the vendor's own API in the callers' format has the signature. */
export function signedText(signature: string, model: string): JsonObject {
  return { extra_content: { google: { thought_signature: callerSignature(signature, model) } } };
}

/** The number of images that the model made. */
export function imagesOf(parts: readonly ResponsePart[]): number {
  return parts.filter(({ kind }) => kind === 'image').length;
}
