// Usage in the callers' format, with what stands beside it in the answer or, where the vendor does not repeat it, in the request.
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { asksLongCache } from '../../conversation/cache-lifetime.ts';
import { costField, readUsage, type Usage } from '../../conversation/usage.ts';
import { eventData } from '../sse.ts';
import { isGiven } from './fields.ts';
import type { ChatRequest } from './read-request.ts';

/** What the request says of how its usage is to be counted. */
export interface AskedUsage {
  readonly serviceTier: unknown;
  readonly asksLongCache: boolean;
  /** The answer may hold images, which clients of such models find in `images` of a message. */
  readonly asksImages: boolean;
  /** The vendor may search, for a fee; its answer then names what it found. */
  readonly asksSearch: boolean;
}

/** What has come that is charged by the piece. */
export interface Pieces {
  readonly images: number;
  readonly searches: number;
}

export function askedUsage({ body }: Pick<ChatRequest, 'body'>): AskedUsage {
  const { service_tier: serviceTier, modalities, web_search_options: search } = body;
  const asksImages = Array.isArray(modalities) && modalities.includes('image');
  return { serviceTier, asksLongCache: asksLongCache(body), asksImages, asksSearch: isGiven(search) };
}

/** @param told a completion or chunk */
export function passedUsage(told: JsonObject, asked: AskedUsage, pieces: Pieces): Usage | undefined {
  const { serviceTier, asksLongCache } = asked;
  return readUsage(told.usage, { served: told.service_tier, asked: serviceTier, asksLongCache, ...pieces });
}

/** Pieces in the choices of a completion or chunk. */
export function piecesIn(choices: unknown, { asksSearch }: AskedUsage): Pieces {
  return { images: imagesIn(choices), searches: asksSearch && citesPages(choices) ? 1 : 0 };
}

/** How often it searched nobody says: once at least where a page is cited (SDK type `ChatCompletionMessage.Annotation`). */
function citesPages(choices: unknown): boolean {
  return messagesOf(choices).some(
    ({ annotations }) =>
      Array.isArray(annotations) &&
      annotations.some((one: unknown) => isObject(one) && one.type === 'url_citation'),
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
  return messagesOf(choices).reduce(
    (sum, { images }) => sum + (Array.isArray(images) ? images.length : 0),
    0,
  );
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
