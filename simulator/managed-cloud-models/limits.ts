// Size limits of a model, and the token counts of a request: the simulator's estimate, with a flat rate for media.
import { isObject, type Json } from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import { invalid, modelRefuses } from './refusal.ts';
import { type ConverseRequest, inferenceOf, type Message, systemOf, toolsOf } from './request.ts';

export function outputFits(request: ConverseRequest): void {
  const limit = request.model.outputTokensMax;
  const wanted = inferenceOf(request).maxTokens ?? 1;
  if (wanted <= limit) return;
  throw invalid(
    `The maximum tokens you requested exceeds the model limit of ${limit}. Try again with a maximum tokens value that is lower than ${limit}.`,
  );
}

export function contextFits(request: ConverseRequest): void {
  const { family, contextTokens } = request.model;
  const tokens = promptTokens(request);
  if (tokens <= contextTokens) return;
  throw family === 'claude'
    ? modelRefuses(`prompt is too long: ${tokens} tokens > ${contextTokens} maximum`)
    : invalid('Input is too long for requested model.');
}

export function promptTokens(request: ConverseRequest): number {
  return sum(promptParts(request).map(({ tokens }) => tokens));
}

/** A part of the prompt, in the order of caching: tools, system, messages. */
export interface PromptPart {
  readonly tokens: number;
  /** The lifetime, if this part is a cache point. */
  readonly cachePoint: string | undefined;
}

export function promptParts(request: ConverseRequest): readonly PromptPart[] {
  return [...toolsOf(request).map(partOf), ...systemOf(request).map(partOf), ...request.messages.flatMap(messageParts)];
}

/** A message adds about three tokens. */
function messageParts({ content }: Message): readonly PromptPart[] {
  return [{ tokens: 3, cachePoint: undefined }, ...content.map(partOf)];
}

function partOf(block: Json): PromptPart {
  if (isObject(block.cachePoint)) return { tokens: 0, cachePoint: String(block.cachePoint.ttl ?? '5m') };
  return { tokens: tokensOf(block), cachePoint: undefined };
}

const mediumTokens = 1_000;

function tokensOf(block: Json): number {
  if (typeof block.text === 'string') return estimateTokens(block.text);
  let media = 0;
  const text = JSON.stringify(block, (key, value: unknown) => {
    if (key !== 'bytes') return value;
    media += 1;
    return '';
  });
  return estimateTokens(text) + media * mediumTokens;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
