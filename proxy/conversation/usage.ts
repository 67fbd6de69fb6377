// Token counts of one request, by one rule: the prompt includes cache reads and writes, the writes include those of an
// hour, the completion includes reasoning. Also everything else that changes the cost: sound and images among the
// tokens, searches, and how and where the request was served.
import { isNumber, isWhole } from '../../common/exact-number.ts';
import { isServiceTier, type ServiceTier } from '../../common/model-facts.ts';

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the cache writes that lives an hour. */
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
  /** Usage with prices of its own. Absent if there is none, as in nearly every request. */
  readonly special?: SpecialUsage;
}

/** The counts are parts of those above, except searches and images. */
export interface SpecialUsage {
  /** The part of the cache writes that lives twelve hours. */
  readonly cacheWrite12hTokens: number;
  /** The part of the prompt that is sound, including cached tokens. */
  readonly audioPromptTokens: number;
  /** The part of the cache reads that is sound. */
  readonly audioCacheReadTokens: number;
  /** The part of the completion that is sound. */
  readonly audioCompletionTokens: number;
  /** The part of the completion that is images. */
  readonly imageCompletionTokens: number;
  /** Searches that the vendor made. */
  readonly searches: number;
  /** Images that the model made. */
  readonly images: number;
  /** How the request was served; undefined: the usual way. */
  readonly serviceTier: ServedTier | undefined;
  /** Where the request was processed, if the vendor reports it and charges by it. */
  readonly region: string | undefined;
}

/** `unknown`: a tier that the gateway does not know. */
export type ServedTier = ServiceTier | 'unknown';

/** Shown if a vendor reported no usage. */
export const noUsage: Usage = Object.freeze({
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
});

export const nothingSpecial: SpecialUsage = Object.freeze({
  cacheWrite12hTokens: 0,
  audioPromptTokens: 0,
  audioCacheReadTokens: 0,
  audioCompletionTokens: 0,
  imageCompletionTokens: 0,
  searches: 0,
  images: 0,
  serviceTier: undefined,
  region: undefined,
});

/** The field `special` of a usage; no field if all of it is zero or undefined. */
export function special(fields: Partial<SpecialUsage>): Pick<Usage, 'special'> {
  const isNothing = Object.values(fields).every((value) => value === undefined || value === 0);
  return isNothing ? {} : { special: { ...nothingSpecial, ...fields } };
}

/** USD as a decimal string; undefined if the cost is unknown. */
export type CostText = (usage: Usage) => string | undefined;

/** The field of `usage` with the cost, in the last chunk of a stream; whole responses have the header `x-svc-cost`. */
export const costField = 'x_svc_cost';

/** Vendors' words for the usual way of being served. */
const usualTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard', 'standard_only', 'unspecified']);

/**
 * How a request was served. If the vendor does not report it, the requested tier counts, provided that it is dearer
 * than the usual one.
 * @param reported the vendor's word
 * @param requested the request's word
 */
export function servedTier(reported: unknown, requested?: unknown): ServedTier | undefined {
  if (typeof reported === 'string' && reported !== '') return tierOf(reported.toLowerCase());
  const tier = typeof requested === 'string' ? tierOf(requested) : undefined;
  return tier === 'flex' || tier === 'batch' || tier === 'unknown' ? undefined : tier;
}

function tierOf(word: string): ServedTier | undefined {
  if (usualTiers.has(word)) return undefined;
  // The GPT vendor's newer word for this tier; its responses use the older one.
  if (word === 'fast') return 'priority';
  return isServiceTier(word) ? word : 'unknown';
}

/**
 * A whole number of tokens, in any notation: `4e3` and `4000.0` are whole numbers. Undefined for anything else, and
 * beyond 2^53.
 */
export function count(value: unknown): number | undefined {
  if (!isNumber(value) || !isWhole(value)) return undefined;
  const plain = Number(value);
  return Number.isSafeInteger(plain) && plain >= 0 ? plain : undefined;
}
