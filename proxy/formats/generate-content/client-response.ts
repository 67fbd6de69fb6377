// Writes a whole response for clients of generateContent (SDK type `GenerateContentResponse` of @google/genai).
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { splitId } from '../../conversation/call-ids.ts';
import type { CalledTool, Finish, ResponseChoice, ResponseMessage } from '../../conversation/response.ts';
import type { Usage } from '../../conversation/usage.ts';
import { thoughtParts, withThoughts } from './client-thoughts.ts';
import { markedSignature } from './signatures.ts';

export function writeClientResponse({ id, model, choices, usage }: ResponseMessage): JsonObject {
  return {
    candidates: choices.map((choice, index) => ({
      content: { role: 'model', parts: partsOf(choice) },
      finishReason: finishReason(choice.finish),
      index,
    })),
    ...{ usageMetadata: usageFields(usage), modelVersion: model, responseId: responseId(id) },
  };
}

function partsOf({ content, reasoning = '', refusal, calls, extras = {} }: ResponseChoice): readonly JsonObject[] {
  const text = [content, refusal ?? extras.refusal].filter((one) => typeof one === 'string').join('');
  const signature = textSignature(extras);
  const thoughts = objectsOf(extras.thinking_blocks);
  return [
    ...thoughtParts(reasoning, thoughts),
    ...(text === '' && signature === undefined ? [] : [{ text, ...signed(signature) }]),
    ...objectsOf(extras.images).flatMap(imagePart),
    ...withThoughts(calls.map(callPart), thoughts),
  ];
}

/** A call with the signature that was appended to its id. */
export function callPart({ id: signedId, name, arguments: args }: CalledTool): JsonObject {
  const { id, signature } = splitId(signedId);
  const parsed = parseExactJson(args === '' ? '{}' : args);
  const functionCall = { id, name, args: isObject(parsed) ? parsed : {} };
  return { functionCall, ...signed(signature === undefined ? undefined : markedSignature(signature)) };
}

function signed(thoughtSignature: string | undefined): JsonObject {
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

/** The signature of the text, where the gateway's readers put it. */
export function textSignature({ extra_content: extra }: JsonObject): string | undefined {
  const google = isObject(extra) ? extra.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' ? signature : undefined;
}

/** An image that the model made. */
export function imagePart({ image_url: image, thought_signature: signature }: JsonObject): readonly JsonObject[] {
  const url = isObject(image) && typeof image.url === 'string' ? image.url : '';
  const [, mimeType] = /^data:([^;,]+);base64,/.exec(url.slice(0, 256)) ?? [];
  if (mimeType === undefined) return [];
  const inlineData = { mimeType, data: url.slice(url.indexOf(',') + 1) };
  return [{ inlineData, ...signed(typeof signature === 'string' ? signature : undefined) }];
}

/** Without the prefix of chat completions. */
export function responseId(id: string): string {
  return id.replace(/^chatcmpl-/, '');
}

/** Words of this format that chat completions have in common with others. */
const ownReasons: ReadonlySet<string> = new Set([
  ...['RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'OTHER', 'MALFORMED_FUNCTION_CALL'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'IMAGE_OTHER', 'NO_IMAGE'],
  ...['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE'],
]);

/** What other vendors report of a response that failed. */
const failures: ReadonlyMap<string | undefined, string> = new Map([
  ['malformed_tool_use', 'MALFORMED_FUNCTION_CALL'],
  ['malformed_model_output', 'MALFORMED_RESPONSE'],
]);

/** SDK type `FinishReason`. */
export function finishReason({ reason, native }: Finish): string {
  if (native !== undefined && ownReasons.has(native)) return native;
  switch (reason) {
    case 'length':
      return 'MAX_TOKENS';
    case 'content_filter':
      return 'SAFETY';
    case 'error':
      return failures.get(native) ?? 'OTHER';
    case 'stop':
    case 'tool_calls':
      return 'STOP';
  }
}

/** SDK type `GenerateContentResponseUsageMetadata`: its candidates exclude thoughts. */
export function usageFields({ promptTokens, completionTokens, cacheReadTokens, reasoningTokens }: Usage): JsonObject {
  const thoughts = Math.min(reasoningTokens, completionTokens);
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - thoughts,
    totalTokenCount: promptTokens + completionTokens,
    ...(cacheReadTokens > 0 && { cachedContentTokenCount: cacheReadTokens }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}
