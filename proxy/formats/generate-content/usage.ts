// Converts the vendor's counts (SDK type `GenerateContentResponseUsageMetadata`) to the shared usage. Its prompt count
// includes cached tokens and excludes tokens that its own tools read. Its candidates count normally excludes thoughts,
// which the total includes. The rest of the total is output too: some models report their thoughts, or all output, only
// there. Sound and images are reported by modality (SDK type `ModalityTokenCount`).
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Options } from '../../conversation/fields.ts';
import { isGiven } from '../../conversation/options.ts';
import { count, nothingSpecial, servedTier, special, type Usage } from '../../conversation/usage.ts';

/** Missing counts are 0; undefined if there are none. */
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

/** Prompt tokens that the vendor's own tools read. */
export function toolTokensOf(usage: unknown): number {
  return isObject(usage) ? (count(usage.toolUsePromptTokenCount) ?? 0) : 0;
}

/** Facts about a response that are beside its usage. */
export interface Served {
  readonly head: IncomingHttpHeaders;
  /** `service_tier` of the request. */
  readonly requestedTier: unknown;
  /** Tools that the vendor runs, in its form. */
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
  // Source: ai.google.dev, pricing. Search results are paid for with the search and are not input. Results of other
  // tools are input.
  const found = searches > 0 && own.length > 0 && !own.some(isReading) ? toolTokens : 0;
  const promptTokens = Math.max(tokens.promptTokens - found, tokens.cacheReadTokens);
  return { ...tokens, promptTokens, ...special({ ...counted, searches, images, serviceTier: tier }) };
}

/** Whether this tool is no search: it reads sources that the caller names. */
function isReading(tool: JsonObject): boolean {
  return tool.googleSearch === undefined;
}

/** The number of searches for a response (SDK type `GroundingMetadata`). @param own tools that the vendor runs */
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
  const counts = all.map((one) => (isObject(one) && one.modality === modality ? (count(one.tokenCount) ?? 0) : 0));
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

/** `service_tier` of the response: the tier used, in the callers' format, if the request contained the field. */
export function servedTierField(
  { service_tier: requested }: Options<'service_tier'>,
  head: IncomingHttpHeaders,
): JsonObject {
  const tier = head['x-gemini-service-tier'];
  if (!isGiven(requested) || typeof tier !== 'string') return {};
  return { service_tier: tier === 'standard' ? 'default' : tier };
}
