// Usage in the callers' format, with what stands beside it in the answer or, where the vendor does not repeat it, in the request.
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { asksLongCache } from '../../chat/cache-lifetime.ts';
import type { ChatRequest } from '../../chat/request.ts';
import { costField, readUsage, type Usage } from '../../chat/usage.ts';
import { eventData } from '../sse.ts';

/** What the request says of how its usage is to be counted. */
export interface AskedUsage {
  readonly serviceTier: unknown;
  readonly asksLongCache: boolean;
  /** The answer may hold images, which clients of such models find in `images` of a message. */
  readonly asksImages: boolean;
}

export function askedUsage({ body }: Pick<ChatRequest, 'body'>): AskedUsage {
  const { service_tier: serviceTier, modalities } = body;
  const asksImages = Array.isArray(modalities) && modalities.includes('image');
  return { serviceTier, asksLongCache: asksLongCache(body), asksImages };
}

/**
 * @param told a completion or chunk
 * @param images that have come
 */
export function passedUsage(told: JsonObject, asked: AskedUsage, images: number): Usage | undefined {
  const { serviceTier, asksLongCache } = asked;
  return readUsage(told.usage, { served: told.service_tier, asked: serviceTier, asksLongCache, images });
}

/** Images in the choices of a completion or chunk. */
export function imagesIn(choices: unknown): number {
  if (!Array.isArray(choices)) return 0;
  return choices.reduce<number>((sum, choice: unknown) => {
    const message = isObject(choice) ? (choice.message ?? choice.delta) : undefined;
    const images = isObject(message) ? message.images : undefined;
    return sum + (Array.isArray(images) ? images.length : 0);
  }, 0);
}

/**
 * The usage chunk with the cost in its `usage`: put in as text, so that all else stays as the vendor wrote it.
 * @param event of which the chunk has a usage with counts in it
 */
export function withCost(event: Buffer, cost: string): Buffer {
  const text = event.toString();
  const told = text.replace(/"usage"\s*:\s*\{/, (head) => `${head}"${costField}":${JSON.stringify(cost)},`);
  const chunk = parseJson(eventData(Buffer.from(told)) ?? '');
  // The first of that name may be another one: then the chunk passes as it came.
  const isTold = isObject(chunk) && isObject(chunk.usage) && chunk.usage[costField] === cost;
  return isTold ? Buffer.from(told) : event;
}
