// Tokens of one request by one rule: prompt includes cache reads and writes, writes those of an hour, completion reasoning; and what
// else says what it cost: sound and images among its tokens, searches, how and where it was served.
import { isNumber, isWhole } from '../../common/exact-number.ts';
import { isServiceTier, type ServiceTier } from '../../common/model-facts.ts';

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of the writes those that live an hour. */
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
  /** What has prices of its own beside these; absent where there is nothing of it, as in nearly every request. */
  readonly special?: SpecialUsage;
}

/** Counts are parts of those above, searches and images aside. */
export interface SpecialUsage {
  /** Of the cache writes those that live twelve hours. */
  readonly cacheWrite12hTokens: number;
  /** Of the prompt those of sound, cached ones included. */
  readonly audioPromptTokens: number;
  /** Of the cache reads those of sound. */
  readonly audioCacheReadTokens: number;
  /** Of the completion those of sound. */
  readonly audioCompletionTokens: number;
  /** Of the completion those of images. */
  readonly imageCompletionTokens: number;
  /** Searches that the vendor made. */
  readonly searches: number;
  /** Images that the model made. */
  readonly images: number;
  /** How it was served; undefined is the usual way. */
  readonly serviceTier: ServedTier | undefined;
  /** Where it was processed, where the vendor says so and charges by it. */
  readonly region: string | undefined;
}

/** `unknown`: a vendor's word that nobody here knows. */
export type ServedTier = ServiceTier | 'unknown';

/** Shown where a vendor reported none. */
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

/** The field `special` of a usage; no field where all of it is nothing. */
export function special(fields: Partial<SpecialUsage>): Pick<Usage, 'special'> {
  const isNothing = Object.values(fields).every((value) => value === undefined || value === 0);
  return isNothing ? {} : { special: { ...nothingSpecial, ...fields } };
}

/** USD as a decimal string; undefined where it is not known. */
export type CostText = (usage: Usage) => string | undefined;

/** The field of `usage` with the cost, in the last chunk of a stream; whole responses have the header `x-svc-cost`. */
export const costField = 'x_svc_cost';

/** The usual way of being served, in vendors' words. */
const usualTiers: ReadonlySet<unknown> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'unspecified',
]);

/**
 * How a request was served. Where the vendor does not report it, it may have been served as requested, if that is dearer.
 * @param reported in the vendor's word
 * @param requested in the request's word
 */
export function servedTier(reported: unknown, requested?: unknown): ServedTier | undefined {
  if (typeof reported === 'string' && reported !== '') return tierOf(reported.toLowerCase());
  const tier = typeof requested === 'string' ? tierOf(requested) : undefined;
  return tier === 'flex' || tier === 'batch' || tier === 'unknown' ? undefined : tier;
}

function tierOf(word: string): ServedTier | undefined {
  if (usualTiers.has(word)) return undefined;
  // The GPT vendor's newer word for it; its responses keep the older one.
  if (word === 'fast') return 'priority';
  return isServiceTier(word) ? word : 'unknown';
}

/** A whole number of tokens, however it is written: `4e3` and `4000.0` are one. Undefined for all else, and beyond 2^53. */
export function count(value: unknown): number | undefined {
  if (!isNumber(value) || !isWhole(value)) return undefined;
  const plain = Number(value);
  return Number.isSafeInteger(plain) && plain >= 0 ? plain : undefined;
}
