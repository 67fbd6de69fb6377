// The vendor's counts (SDK type `GenerateContentResponseUsageMetadata`) by the common rule. Its prompt has the cached tokens in it
// and lacks what its own tools read; its candidates normally lack the thoughts, which the total tells. Sound and images among them
// are told by modality (SDK type `ModalityTokenCount`).
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { count, nothingSpecial, servedTier, special, type Usage } from '../../chat/usage.ts';

/** Counts that are missing are 0; undefined where there are none at all. */
export function readSearchUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const of = (name: string) => count(value[name]) ?? 0;
  const promptTokens = of('promptTokenCount') + of('toolUsePromptTokenCount');
  const said = of('candidatesTokenCount');
  const thoughts = of('thoughtsTokenCount');
  const isInside = promptTokens + said === count(value.totalTokenCount) && thoughts <= said;
  return {
    promptTokens,
    completionTokens: isInside ? said : said + thoughts,
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

/** What of a response stands beside its usage. */
export interface Served {
  readonly head: IncomingHttpHeaders;
  /** `service_tier` of the request. */
  readonly asked: unknown;
  readonly searches: number;
  readonly images: number;
}

export function withServed(
  usage: Usage | undefined,
  { head, asked, searches, images }: Served,
): Usage | undefined {
  if (usage === undefined) return undefined;
  const { special: counted = nothingSpecial, ...tokens } = usage;
  const told = counted.serviceTier ?? servedTier(head['x-gemini-service-tier'], asked);
  return { ...tokens, ...special({ ...counted, searches, images, serviceTier: told }) };
}

/** How often the vendor has searched for an answer (SDK type `GroundingMetadata`). */
export function searchesOf(grounding: JsonObject | undefined): number {
  if (grounding === undefined) return 0;
  const { webSearchQueries: web, imageSearchQueries: image, groundingChunks: sources } = grounding;
  const queries = [web, image].reduce<number>((sum, all) => sum + (Array.isArray(all) ? all.length : 0), 0);
  if (queries > 0) return queries;
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
