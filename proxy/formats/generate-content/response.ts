// Parses the vendor's response, whole or in pieces (SDK type `GenerateContentResponse`). Every field may be missing,
// and unknown fields are ignored. Parts keep the vendor's order, because grounding refers to them by index.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import { protocolError } from '../protocol-error.ts';
import { readGenerateContentUsage, toolTokensOf } from './usage.ts';

export interface ParsedResponse {
  readonly responseId: string | undefined;
  readonly modelVersion: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number | undefined;
  readonly candidates: readonly Candidate[];
  /** The reason why the prompt was blocked, and its ratings. There are no candidates then. */
  readonly block: { readonly reason: string; readonly ratings: readonly unknown[] } | undefined;
  readonly usage: Usage | undefined;
  /** Prompt tokens that the vendor's own tools read. */
  readonly toolTokens: number;
}

export interface Candidate {
  readonly index: number;
  readonly parts: readonly ResponsePart[];
  readonly finishReason: string | undefined;
  /** The vendor's explanation of the finish reason. */
  readonly finishMessage: string | undefined;
  readonly grounding: JsonObject | undefined;
  readonly citation: JsonObject | undefined;
  /** Empty if there are none. */
  readonly ratings: readonly unknown[];
  /** `logprobsResult`. */
  readonly probabilities: JsonObject | undefined;
}

export type ResponsePart =
  | { readonly kind: 'text'; readonly text: string; readonly signature?: string | undefined }
  | { readonly kind: 'thought'; readonly text: string }
  /** A data URL. */
  | { readonly kind: 'image'; readonly url: string; readonly signature: string | undefined }
  | { readonly kind: 'audio'; readonly mimeType: string; readonly base64: string }
  | { readonly kind: 'call'; readonly call: FunctionCall }
  /** A part that the callers' format cannot express. */
  | { readonly kind: 'other' };

export interface FunctionCall {
  /** Older models send none. */
  readonly id: string | undefined;
  readonly name: string;
  readonly args: JsonObject;
  readonly signature: string | undefined;
}

/** @throws GatewayError upstream_protocol_error */
export function parseResponse(response: JsonObject): ParsedResponse {
  const { responseId, modelVersion, createTime, candidates, promptFeedback, usageMetadata } = response;
  return {
    responseId: text(responseId),
    modelVersion: text(modelVersion),
    createdAt: time(createTime),
    candidates: objectsOf(candidates).map(readCandidate),
    block: readBlock(promptFeedback),
    usage: readGenerateContentUsage(usageMetadata),
    toolTokens: toolTokensOf(usageMetadata),
  };
}

function readBlock(feedback: unknown): ParsedResponse['block'] {
  if (!isObject(feedback)) return undefined;
  const reason = text(feedback.blockReason);
  return reason === undefined ? undefined : { reason, ratings: list(feedback.safetyRatings) };
}

function readCandidate(candidate: JsonObject, position: number): Candidate {
  const { index, content, finishReason, finishMessage, groundingMetadata, citationMetadata, safetyRatings } = candidate;
  return {
    index: plainNumber(index) ?? position,
    parts: isObject(content) ? list(content.parts).map(readPart) : [],
    finishReason: text(finishReason),
    finishMessage: text(finishMessage),
    grounding: isObject(groundingMetadata) ? groundingMetadata : undefined,
    citation: isObject(citationMetadata) ? citationMetadata : undefined,
    ratings: list(safetyRatings),
    probabilities: isObject(candidate.logprobsResult) ? candidate.logprobsResult : undefined,
  };
}

function readPart(part: unknown): ResponsePart {
  if (!isObject(part)) return { kind: 'other' };
  const { text: partText, thought, functionCall, inlineData, executableCode, codeExecutionResult } = part;
  if (isObject(functionCall)) return { kind: 'call', call: readCall(functionCall, part.thoughtSignature) };
  const signature = text(part.thoughtSignature);
  if (typeof partText === 'string') {
    return thought === true ? { kind: 'thought', text: partText } : { kind: 'text', text: partText, signature };
  }
  // An image marked as a thought is an intermediate image.
  if (isObject(inlineData) && thought !== true) return readMedia(inlineData, signature);
  if (isObject(executableCode)) return { kind: 'text', text: fenced(executableCode.code, 'python') };
  if (isObject(codeExecutionResult)) return { kind: 'text', text: fenced(codeExecutionResult.output, '') };
  return { kind: 'other' };
}

function readCall({ id, name, args }: JsonObject, signature: unknown): FunctionCall {
  if (typeof name !== 'string' || name === '') throw protocolError('a function call has no name');
  return { id: text(id), name, args: isObject(args) ? args : {}, signature: text(signature) };
}

function readMedia({ mimeType, data }: JsonObject, signature: string | undefined): ResponsePart {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return { kind: 'other' };
  if (/^audio\//i.test(mimeType)) return { kind: 'audio', mimeType, base64: data };
  return { kind: 'image', url: `data:${mimeType};base64,${data}`, signature };
}

/** Code that the vendor ran, or its output, as a fenced code block in the text. */
function fenced(code: unknown, language: string): string {
  return typeof code === 'string' && code !== '' ? `\n\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n` : '';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function time(value: unknown): number | undefined {
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
