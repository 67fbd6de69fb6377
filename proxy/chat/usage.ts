// Tokens of one request by one rule: prompt includes cache reads and writes, writes those of an hour, completion reasoning.
import { isNumber, isWhole } from '../../common/exact-number.ts';

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of the writes those that live an hour. */
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
}

/** Shown where a vendor told none. */
export const noUsage: Usage = Object.freeze({
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
});

/**
 * Reads `usage` of a completion or chunk in the GPT vendor's shape (SDK type `CompletionUsage`).
 * @returns undefined where it is absent, null or without the two counts
 */
export function readUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  const promptTokens = count(usage?.prompt_tokens);
  const completionTokens = count(usage?.completion_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const prompt = asObject(usage?.prompt_tokens_details);
  const completion = asObject(usage?.completion_tokens_details);
  const reasoningTokens = count(completion?.reasoning_tokens) ?? 0;
  // Some who speak the format count reasoning beside the completion, which only the total tells.
  const isBeside = count(usage?.total_tokens) === promptTokens + completionTokens + reasoningTokens;
  return {
    promptTokens,
    completionTokens: isBeside ? completionTokens + reasoningTokens : completionTokens,
    cacheReadTokens: count(prompt?.cached_tokens) ?? 0,
    cacheWriteTokens: count(prompt?.cache_write_tokens) ?? 0,
    cacheWrite1hTokens: 0,
    reasoningTokens,
  };
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** A whole number of tokens, however it is written: `4e3` and `4000.0` are one. Undefined for all else, and beyond 2^53. */
export function count(value: unknown): number | undefined {
  if (!isNumber(value) || !isWhole(value)) return undefined;
  const plain = Number(value);
  return Number.isSafeInteger(plain) && plain >= 0 ? plain : undefined;
}
