// Usage in the callers' format, with related fields of the response or, if the vendor does not repeat them, of the
// request.
import { eventData } from '../../../common/event-stream.ts';
import { isObject, type JsonObject, parseJson, someObject } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { costField, count, servedTier, special, type Usage } from '../../conversation/usage.ts';
import type { ChatRequest } from './read-request.ts';

/** The request's fields that decide how its usage is counted. */
export interface RequestedUsage {
  readonly serviceTier: unknown;
  readonly wantsLongCache: boolean;
  /** The response may contain images. Clients of such models find them in `images` of a message. */
  readonly wantsImages: boolean;
  /** The vendor may search, for a fee. Its response then cites pages. */
  readonly wantsSearch: boolean;
}

/** Items received that are charged by the piece. */
export interface Pieces {
  readonly images: number;
  readonly searches: number;
}

export function requestedUsage({ body }: Pick<ChatRequest, 'body'>): RequestedUsage {
  const { service_tier: serviceTier, modalities, web_search_options: search } = body;
  const wantsImages = Array.isArray(modalities) && modalities.includes('image');
  return { serviceTier, wantsLongCache: wantsLongCache(body), wantsImages, wantsSearch: isGiven(search) };
}

/** @param written a completion or chunk */
export function passedUsage(written: JsonObject, requested: RequestedUsage, pieces: Pieces): Usage | undefined {
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

/**
 * At least one search if a page is cited (SDK type `ChatCompletionMessage.Annotation`). No vendor reports the exact
 * number.
 */
function citesPages(choices: unknown): boolean {
  return messagesOf(choices).some(
    ({ annotations }) =>
      Array.isArray(annotations) && annotations.some((one: unknown) => isObject(one) && one.type === 'url_citation'),
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
  return messagesOf(choices).reduce((sum, { images }) => sum + (Array.isArray(images) ? images.length : 0), 0);
}

/**
 * Adds the cost to the `usage` of a usage chunk. It is inserted as text, so that everything else stays as the vendor
 * wrote it.
 * @param event its chunk has a usage with counts
 */
export function withCost(event: Buffer, cost: string): Buffer {
  const text = event.toString();
  const written = text.replace(/"usage"\s*:\s*\{/, (head) => `${head}"${costField}":${JSON.stringify(cost)},`);
  const chunk = parseJson(eventData(Buffer.from(written)) ?? '');
  // The first "usage" in the text may be another field: then the chunk passes unchanged.
  const isWritten = isObject(chunk) && isObject(chunk.usage) && chunk.usage[costField] === cost;
  return isWritten ? Buffer.from(written) : event;
}

/** Fields beside `usage` in a completion or chunk, and fields of the request that the vendor may not repeat. */
export interface UsageContext {
  /** `service_tier` of the response. */
  readonly served?: unknown;
  /** `service_tier` of the request. */
  readonly requested?: unknown;
  /** The request wants cache entries with a lifetime of twelve hours. */
  readonly wantsLongCache?: boolean;
  readonly images?: number;
  readonly searches?: number;
}

/**
 * Reads `usage` of a completion or chunk in the GPT vendor's shape (SDK type `CompletionUsage`). For audio and cache
 * writes it also reads the details of the vendor's other APIs, `cached_tokens_details` and
 * `cache_write_tokens_details`.
 * @returns undefined if it is absent, null or without the two counts
 */
export function readUsage(value: unknown, context: UsageContext = {}): Usage | undefined {
  const usage = objectOf(value);
  const promptTokens = count(usage.prompt_tokens);
  const completionTokens = count(usage.completion_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const prompt = objectOf(usage.prompt_tokens_details);
  const completion = objectOf(usage.completion_tokens_details);
  const reasoningTokens = count(completion.reasoning_tokens) ?? 0;
  // Some servers count reasoning outside the completion. Only the total shows it.
  const isBeside = count(usage.total_tokens) === promptTokens + completionTokens + reasoningTokens;
  const cacheWriteTokens = count(prompt.cache_write_tokens) ?? 0;
  const lifetimes = objectOf(prompt.cache_write_tokens_details);
  // If the vendor does not count them separately, all writes of a request for the long lifetime count as long.
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
 * Whether a request wants the GPT vendor's cache entries with a lifetime of twelve hours (SDK types
 * `PromptCacheOptions`, `PromptCacheBreakpoint`). They cost more to write, and the response may not report which
 * entries were long.
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
