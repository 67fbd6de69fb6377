// Usage in the callers' format, with what is beside it in the response or, where the vendor does not repeat it, in the request.
import { isObject, type JsonObject, parseJson, someObject } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { costField, count, servedTier, special, type Usage } from '../../conversation/usage.ts';
import { eventData } from '../sse.ts';
import type { ChatRequest } from './read-request.ts';

/** What the request says of how its usage is to be counted. */
export interface RequestedUsage {
  readonly serviceTier: unknown;
  readonly wantsLongCache: boolean;
  /** The response may hold images, which clients of such models find in `images` of a message. */
  readonly wantsImages: boolean;
  /** The vendor may search, for a fee; its response then names what it found. */
  readonly wantsSearch: boolean;
}

/** What has come that is charged by the piece. */
export interface Pieces {
  readonly images: number;
  readonly searches: number;
}

export function requestedUsage({ body }: Pick<ChatRequest, 'body'>): RequestedUsage {
  const { service_tier: serviceTier, modalities, web_search_options: search } = body;
  const wantsImages = Array.isArray(modalities) && modalities.includes('image');
  return { serviceTier, wantsLongCache: wantsLongCache(body), wantsImages, wantsSearch: isGiven(search) };
}

/** @param reported a completion or chunk */
export function passedUsage(
  written: JsonObject,
  requested: RequestedUsage,
  pieces: Pieces,
): Usage | undefined {
  const { serviceTier, wantsLongCache } = requested;
  return readUsage(written.usage, {
    served: written.service_tier,
    requested: serviceTier,
    wantsLongCache,
    ...pieces,
  });
}

/** Pieces in the choices of a completion or chunk. */
export function piecesIn(choices: unknown, { wantsSearch }: RequestedUsage): Pieces {
  return { images: imagesIn(choices), searches: wantsSearch && citesPages(choices) ? 1 : 0 };
}

/** How often it searched nobody says: once at least where a page is cited (SDK type `ChatCompletionMessage.Annotation`). */
function citesPages(choices: unknown): boolean {
  return messagesOf(choices).some(
    ({ annotations }) =>
      Array.isArray(annotations) &&
      annotations.some((one: unknown) => isObject(one) && one.type === 'url_citation'),
  );
}

function messagesOf(choices: unknown): readonly JsonObject[] {
  if (!Array.isArray(choices)) return [];
  return choices.flatMap((choice: unknown) => {
    const message = isObject(choice) ? (choice.message ?? choice.delta) : undefined;
    return isObject(message) ? [message] : [];
  });
}

function imagesIn(choices: unknown): number {
  return messagesOf(choices).reduce(
    (sum, { images }) => sum + (Array.isArray(images) ? images.length : 0),
    0,
  );
}

/**
 * The usage chunk with the cost in its `usage`: put in as text, so that all else stays as the vendor wrote it.
 * @param event of which the chunk has a usage with counts in it
 */
export function withCost(event: Buffer, cost: string): Buffer {
  const text = event.toString();
  const written = text.replace(
    /"usage"\s*:\s*\{/,
    (head) => `${head}"${costField}":${JSON.stringify(cost)},`,
  );
  const chunk = parseJson(eventData(Buffer.from(written)) ?? '');
  // The first of that name may be another one: then the chunk passes as it came.
  const isWritten = isObject(chunk) && isObject(chunk.usage) && chunk.usage[costField] === cost;
  return isWritten ? Buffer.from(written) : event;
}

/** What is beside `usage` in a completion or chunk, and what the request says that the vendor may not repeat. */
export interface UsageContext {
  /** `service_tier` of the response. */
  readonly served?: unknown;
  /** `service_tier` of the request. */
  readonly requested?: unknown;
  /** The request wants cache entries that live twelve hours. */
  readonly wantsLongCache?: boolean;
  readonly images?: number;
  readonly searches?: number;
}

/**
 * Reads `usage` of a completion or chunk in the GPT vendor's shape (SDK type `CompletionUsage`; of sound and of what is written to
 * caches also the details of the vendor's other APIs, `cached_tokens_details` and `cache_write_tokens_details`).
 * @returns undefined where it is absent, null or without the two counts
 */
export function readUsage(value: unknown, context: UsageContext = {}): Usage | undefined {
  const usage = objectOf(value);
  const promptTokens = count(usage.prompt_tokens);
  const completionTokens = count(usage.completion_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const prompt = objectOf(usage.prompt_tokens_details);
  const completion = objectOf(usage.completion_tokens_details);
  const reasoningTokens = count(completion.reasoning_tokens) ?? 0;
  // Some who speak the format count reasoning beside the completion, which only the total shows.
  const isBeside = count(usage.total_tokens) === promptTokens + completionTokens + reasoningTokens;
  const cacheWriteTokens = count(prompt.cache_write_tokens) ?? 0;
  const lifetimes = objectOf(prompt.cache_write_tokens_details);
  // Where the vendor does not count them apart, all writes of a request that wants the long life have it.
  const long = context.wantsLongCache === true ? cacheWriteTokens : 0;
  return {
    promptTokens,
    completionTokens: isBeside ? completionTokens + reasoningTokens : completionTokens,
    cacheReadTokens: count(prompt.cached_tokens) ?? 0,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
    reasoningTokens,
    ...special({
      cacheWrite12hTokens: count(lifetimes.ttl_12h_tokens) ?? long,
      audioPromptTokens: count(prompt.audio_tokens) ?? 0,
      audioCacheReadTokens: count(objectOf(prompt.cached_tokens_details).audio_tokens) ?? 0,
      audioCompletionTokens: count(completion.audio_tokens) ?? 0,
      imageCompletionTokens: count(completion.image_tokens) ?? 0,
      images: context.images ?? 0,
      searches: context.searches ?? 0,
      serviceTier: servedTier(context.served, context.requested),
    }),
  };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * Whether a request asks the GPT vendor for cache entries that live twelve hours (SDK types `PromptCacheOptions`,
 * `PromptCacheBreakpoint`): they cost more to write, and the response may not say which ones were.
 */
export function wantsLongCache({ prompt_cache_options: options, messages, tools }: JsonObject): boolean {
  return (
    isLong(options) ||
    someObject(messages, (one) => isMarkedLong(one) || someObject(one.content, isMarkedLong)) ||
    someObject(tools, isMarkedLong)
  );
}

function isMarkedLong({ prompt_cache_breakpoint: point }: JsonObject): boolean {
  return isLong(point);
}

function isLong(options: unknown): boolean {
  return isObject(options) && options.ttl === '12h';
}
