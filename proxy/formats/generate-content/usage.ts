// The vendor's counts (SDK type `GenerateContentResponseUsageMetadata`) by the common rule. Its prompt has the cached tokens in it
// and lacks what its own tools read; its candidates normally lack the thoughts, which the total contains. What the total has beside all of
// them was written as well: some models report their thoughts, or all of their output, nowhere else. Sound and images among them are
// reported by modality (SDK type `ModalityTokenCount`).
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Options } from '../../conversation/fields.ts';
import { isGiven } from '../../conversation/options.ts';
import { count, nothingSpecial, servedTier, special, type Usage } from '../../conversation/usage.ts';

/** Counts that are missing are 0; undefined where there are none at all. */
export function readGenerateContentUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const of = (name: string) => count(value[name]) ?? 0;
  const promptTokens = of('promptTokenCount') + of('toolUsePromptTokenCount');
  const candidateTokens = of('candidatesTokenCount');
  const thoughts = of('thoughtsTokenCount');
  const total = of('totalTokenCount');
  const isInside = promptTokens + candidateTokens === total && thoughts <= candidateTokens;
  return {
    promptTokens,
    completionTokens: Math.max(isInside ? candidateTokens : candidateTokens + thoughts, total - promptTokens),
    cacheReadTokens: Math.min(of('cachedContentTokenCount'), promptTokens),
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: thoughts,
    ...special({
      audioPromptTokens:
        tokensOf(value.promptTokensDetails, 'AUDIO') + tokensOf(value.toolUsePromptTokensDetails, 'AUDIO'),
      audioCacheReadTokens: tokensOf(value.cacheTokensDetails, 'AUDIO'),
      audioCompletionTokens: tokensOf(value.candidatesTokensDetails, 'AUDIO'),
      imageCompletionTokens: tokensOf(value.candidatesTokensDetails, 'IMAGE'),
      serviceTier: servedTier(tierWord(value)),
    }),
  };
}

/** Of the prompt what the vendor's own tools have read. */
export function toolTokensOf(usage: unknown): number {
  return isObject(usage) ? (count(usage.toolUsePromptTokenCount) ?? 0) : 0;
}

/** What of a response is beside its usage. */
export interface Served {
  readonly head: IncomingHttpHeaders;
  /** `service_tier` of the request. */
  readonly requestedTier: unknown;
  /** Tools that the vendor ran itself, in its form. */
  readonly own: readonly JsonObject[];
  readonly toolTokens: number;
  readonly searches: number;
  readonly images: number;
}

export function withServed(
  usage: Usage | undefined,
  { head, requestedTier, own, toolTokens, searches, images }: Served,
): Usage | undefined {
  if (usage === undefined) return undefined;
  const { special: counted = nothingSpecial, ...tokens } = usage;
  const tier = counted.serviceTier ?? servedTier(head['x-gemini-service-tier'], requestedTier);
  // ai.google.dev, pricing: what a search found is paid for with the search, and is no input. What other tools read is.
  const found = searches > 0 && own.length > 0 && !own.some(isReading) ? toolTokens : 0;
  const promptTokens = Math.max(tokens.promptTokens - found, tokens.cacheReadTokens);
  return { ...tokens, promptTokens, ...special({ ...counted, searches, images, serviceTier: tier }) };
}

/** Other than searches: they read what the caller names. */
function isReading(tool: JsonObject): boolean {
  return tool.googleSearch === undefined;
}

/** How often the vendor has searched for a response (SDK type `GroundingMetadata`). @param own tools that the vendor ran itself */
export function searchesOf(grounding: JsonObject | undefined, own: readonly JsonObject[]): number {
  if (grounding === undefined) return 0;
  const { webSearchQueries: web, imageSearchQueries: image, groundingChunks: sources } = grounding;
  const queries = [web, image].reduce<number>((sum, all) => sum + (Array.isArray(all) ? all.length : 0), 0);
  // Pages that the caller named are sources without a search.
  if (queries > 0 || own.some(isReading)) return queries;
  return Array.isArray(sources) && sources.length > 0 ? 1 : 0;
}

function tokensOf(details: unknown, modality: 'AUDIO' | 'IMAGE'): number {
  const all: readonly unknown[] = Array.isArray(details) ? details : [];
  const counts = all.map((one) =>
    isObject(one) && one.modality === modality ? (count(one.tokenCount) ?? 0) : 0,
  );
  return counts.reduce((sum, one) => sum + one, 0);
}

/** SDK types `ServiceTier`, `TrafficType`. */
function tierWord({ serviceTier, trafficType }: JsonObject): unknown {
  if (typeof serviceTier === 'string') return serviceTier;
  return typeof trafficType === 'string' ? (trafficTiers.get(trafficType) ?? 'unknown') : undefined;
}

const trafficTiers: ReadonlyMap<string, string> = new Map([
  ['TRAFFIC_TYPE_UNSPECIFIED', ''],
  ['ON_DEMAND', 'standard'],
  ['ON_DEMAND_PRIORITY', 'priority'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['PROVISIONED_THROUGHPUT', 'provisioned'],
]);

/** `service_tier` of the response: the tier that served, in the callers' words, for those who requested one. */
export function servedTierField(
  { service_tier: requested }: Options<'service_tier'>,
  head: IncomingHttpHeaders,
): JsonObject {
  const tier = head['x-gemini-service-tier'];
  if (!isGiven(requested) || typeof tier !== 'string') return {};
  return { service_tier: tier === 'standard' ? 'default' : tier };
}
