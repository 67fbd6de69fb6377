// What a request may ask for that its price in the catalog does not cover: dearer tokens, fees, input that is not in its body. Under
// a budget it is refused, because what is held for it would not be enough. Unknown kinds of content are refused for the same reason.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { ChatCall } from '../../chat/call.ts';
import { isGiven } from '../../chat/fields.ts';
import { count } from '../../chat/usage.ts';

/** The field of the request, as an error names it; undefined where all that it asks for has a price. */
export function unpriceable({
  request,
  qualifiedModel,
}: Pick<ChatCall, 'request' | 'qualifiedModel'>): string | undefined {
  if (searchModels.some((kind) => qualifiedModel.includes(kind))) return 'model';
  return fieldOf(request.body) ?? toolOf(request.body) ?? contentOf(request.messages);
}

/** They search at every request, for a fee. */
const searchModels = ['-search-preview', '-search-api', '-deep-research'];

/** Each with the values of it that cost what the catalog says. */
const fields: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  // Priority costs about twice as much, reserved capacity has prices by contract. Flex is cheaper: charged as the usual tier.
  ['service_tier', (value) => usualTiers.has(value)],
  // A fee for each search, and what was found counts as input.
  ['web_search_options', never],
  // Tokens of sound, in and out, have prices of their own, and so have those of images that a model makes.
  ['audio', never],
  ['modalities', (value) => Array.isArray(value) && value.every((one) => one === 'text')],
  // What was predicted wrongly is charged as output beside the answer, and no ceiling holds for it.
  ['prediction', never],
  // A stored prompt of any length in front of the one in the body.
  ['cached_content', never],
  ['cachedContent', never],
  // Of vendors that speak the callers' format: other models to be taken in its place, and searches for a fee.
  ['models', never],
  ['plugins', never],
  ['search_parameters', never],
  ['enable_search', (value) => value === false],
  // What bounds the output must be a number that every provider reads alike: some take -1 for no limit.
  ['max_completion_tokens', isPositive],
  ['max_tokens', isPositive],
  ['n', isPositive],
]);

const usualTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard', 'standard_only', 'flex']);

function never(): boolean {
  return false;
}

function isPositive(value: unknown): boolean {
  return (count(value) ?? 0) > 0;
}

function fieldOf(body: JsonObject): string | undefined {
  return Object.keys(body).find((name) => isGiven(body[name]) && fields.get(name)?.(body[name]) === false);
}

/** Tools that a vendor runs itself (searches, fetched pages, code, files) have fees, and what they find counts as input. */
function toolOf({ tools }: JsonObject): string | undefined {
  if (!Array.isArray(tools)) return undefined;
  const index = tools.findIndex((tool: unknown) => !isObject(tool) || !callersTools.has(tool.type));
  return index === -1 ? undefined : `tools[${index}]`;
}

const callersTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

function contentOf(messages: readonly JsonObject[]): string | undefined {
  for (const [index, { content, audio }] of messages.entries()) {
    // An answer in sound, stored by the vendor: it counts as tokens of sound again.
    if (isGiven(audio)) return `messages[${index}].audio`;
    if (!Array.isArray(content)) continue;
    const part = content.findIndex((one: unknown) => !isPricedPart(one));
    if (part !== -1) return `messages[${index}].content[${part}]`;
  }
  return undefined;
}

function isPricedPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  return part.type === 'file' ? isPricedFile(part.file) : pricedParts.has(part.type);
}

const pricedParts: ReadonlySet<unknown> = new Set(['text', 'refusal', 'image_url']);

/** A stored file, or one by URL, may be of any length; sound and the sound of videos have prices of their own. */
function isPricedFile(file: unknown): boolean {
  if (!isObject(file) || isGiven(file.file_id) || typeof file.file_data !== 'string') return false;
  const head = file.file_data.slice(0, 30);
  return !/^https?:|^data:(audio|video)\//i.test(head);
}
