// The usage chunk of a stream of chat completions: its last chunk, without choices.
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject } from '../../../common/json.ts';
import type { CostText } from '../../conversation/usage.ts';
import { readUsage, withCost } from './usage.ts';

export interface UsageChunkOptions {
  /** The caller requested the usage chunk. */
  readonly includeUsage: boolean;
  /** Reported in it. */
  readonly costText: CostText;
}

const usageKey = Buffer.from('"usage"');

/** @returns the event as the caller gets it; undefined for a usage chunk that was not requested */
export function withUsageChunk(event: Buffer, { includeUsage, costText }: UsageChunkOptions): Buffer | undefined {
  if (!event.includes(usageKey)) return event;
  const chunk = parseExactJson(eventData(event) ?? '');
  if (!isObject(chunk) || !Array.isArray(chunk.choices) || chunk.choices.length > 0) return event;
  const usage = readUsage(chunk.usage, { served: chunk.service_tier });
  if (usage === undefined) return event;
  if (!includeUsage) return undefined;
  const cost = costText(usage);
  return cost === undefined ? event : withCost(event, cost);
}
