// Reads the vendor's token counts (SDK types `Usage`, `MessageDeltaUsage` of @anthropic-ai/sdk). Its input tokens
// exclude the prompt cache; its output tokens include thinking. Fields with prices of their own are beside them:
// searches, the faster service tier, the geography of the inference.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { isRegionName } from '../../../common/model-facts.ts';
import { count, type SpecialUsage, servedTier, special, type Usage } from '../../conversation/usage.ts';

/** The counts reported so far. A later count replaces an earlier one; a missing count leaves it. */
export class UsageCounter {
  readonly #counts = new Map<string, number>();
  #writes1h = 0;
  #thinking = 0;
  #isComplete = false;
  #special: Partial<SpecialUsage> = {};

  /** The usage of a whole message. */
  add(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const name of counted) {
      const value = count(usage[name]);
      if (value !== undefined) this.#counts.set(name, value);
    }
    const writes = isObject(usage.cache_creation) ? usage.cache_creation : {};
    this.#writes1h = count(writes.ephemeral_1h_input_tokens) ?? this.#writes1h;
    const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
    this.#thinking = count(details.thinking_tokens) ?? this.#thinking;
    this.#special = { ...this.#special, ...specialOf(usage) };
  }

  /**
   * Adds the usage of `message_start`. Its `output_tokens` is a placeholder, written before the model has generated
   * anything.
   */
  addStart(usage: unknown): void {
    if (isObject(usage)) this.add({ ...usage, output_tokens: undefined });
  }

  /** Adds the usage of `message_delta`. It is cumulative, and complete once the event contains the stop reason. */
  addDelta({ usage, delta }: JsonObject): void {
    this.add(usage);
    const hasEnded = isObject(delta) && typeof delta.stop_reason === 'string';
    if (hasEnded && isObject(usage) && count(usage.output_tokens) !== undefined) this.#isComplete = true;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The usage of a whole message: undefined unless both input and output were counted. */
  get whole(): Usage | undefined {
    return this.#counts.has('input_tokens') && this.#counts.has('output_tokens') ? this.known : undefined;
  }

  /** Undefined if the vendor reported nothing. */
  get usage(): Usage | undefined {
    return this.#counts.size === 0 ? undefined : this.known;
  }

  get known(): Usage {
    const of = (name: (typeof counted)[number]) => this.#counts.get(name) ?? 0;
    const cacheReadTokens = of('cache_read_input_tokens');
    const cacheWriteTokens = of('cache_creation_input_tokens');
    return {
      promptTokens: of('input_tokens') + cacheReadTokens + cacheWriteTokens,
      completionTokens: of('output_tokens'),
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens: Math.min(this.#writes1h, cacheWriteTokens),
      reasoningTokens: this.#thinking,
      ...special(this.#special),
    };
  }
}

const counted = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const;

/** Contains only reported fields, so that missing ones keep their earlier values. */
function specialOf(usage: JsonObject): Partial<SpecialUsage> {
  const { server_tool_use: own, service_tier: tier, speed, inference_geo: geo } = usage;
  const searches = isObject(own) ? count(own.web_search_requests) : undefined;
  const isFast = speed === 'fast';
  return {
    ...(searches !== undefined && { searches }),
    ...(typeof tier === 'string' && { serviceTier: servedTier(tier) }),
    ...(isFast && { serviceTier: 'fast' }),
    ...(typeof geo === 'string' && { region: regionOf(geo) }),
  };
}

/** Older models report `not_available`. */
const anywhere: ReadonlySet<string> = new Set(['', 'global', 'not_available']);

function regionOf(geo: string): string | undefined {
  const name = geo.toLowerCase();
  if (anywhere.has(name)) return undefined;
  return isRegionName(name) ? name : 'unknown';
}

/** The vendor's own counts that callers get beside the common ones. */
export function usageExtras({ cacheReadTokens, cacheWriteTokens }: Usage): JsonObject {
  return {
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
  };
}
