// Reads content blocks of a client's message (SDK type `ContentBlockParam` of @anthropic-ai/sdk) into parts of chat
// completions.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';

/**
 * @param at path of the content
 * @throws GatewayError invalid_request that names the block
 */
export function chatContent(content: unknown, at: string, losses: LossList): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid(at, `${at} must be a string or an array of content blocks`);
  return content.flatMap((block: unknown, index) => {
    const where = `${at}[${index}]`;
    if (!isObject(block)) throw invalid(where, `${where} must be an object with a type`);
    return chatParts(block, where, losses);
  });
}

/** @param at path of the block @throws GatewayError invalid_request that names it */
export function chatParts(block: JsonObject, at: string, losses: LossList): JsonObject[] {
  const mark = isObject(block.cache_control) ? { cache_control: block.cache_control } : {};
  const read = readFields.get(block.type);
  if (read !== undefined) losses.dropOthers(block, read, at);
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') throw invalid(`${at}.text`, `${at}.text must be a string`);
      return [{ type: 'text', text: block.text, ...mark }];
    case 'image':
      return imageUrls(block.source, at, losses).map((url) => ({ type: 'image_url', image_url: { url }, ...mark }));
    case 'document':
      return documentParts(block, at, losses).map((part) => ({ ...part, ...mark }));
    case 'search_result':
      if (isCited(block)) losses.drop(`${at}.citations`);
      return [{ type: 'text', text: searchResult(block), ...mark }];
    case 'tool_reference':
      losses.drop('messages.content.tool_reference');
      return [];
    case 'fallback':
      // It says which model wrote the rest of the message.
      losses.drop(`${at}.fallback`);
      return [];
    case 'compaction':
      // The summary of the conversation before it; null if the vendor made none.
      return typeof block.content === 'string' ? [{ type: 'text', text: block.content, ...mark }] : [];
    case 'tool_addition':
      return addedTool(block, at, losses);
    default:
      losses.refuse(at);
      return [];
  }
}

/** Of each block; what nobody reads is a loss. The citations of a text are among that. */
const readFields: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['text', new Set(['type', 'text', 'cache_control'])],
  ['image', new Set(['type', 'source', 'cache_control'])],
  ['document', new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control'])],
  ['compaction', new Set(['type', 'content', 'cache_control'])],
  ['search_result', new Set(['type', 'title', 'source', 'content', 'citations', 'cache_control'])],
]);

/** All offered tools are offered from the start, so only one that is defined there would be missing. */
function addedTool({ tool }: JsonObject, at: string, losses: LossList): JsonObject[] {
  if (isObject(tool) && tool.type === 'tool_reference') losses.drop('messages.content.tool_addition');
  else losses.refuse(at);
  return [];
}

function isCited({ citations }: JsonObject): boolean {
  return isObject(citations) && citations.enabled === true;
}

/** One URL; none for a file of the account. */
function imageUrls(source: unknown, at: string, losses: LossList): readonly string[] {
  if (!isObject(source)) throw invalid(`${at}.source`, `${at}.source must be an object with a type`);
  const { type, media_type: mediaType, data, url } = source;
  if (type === 'base64') return [dataUrl(mediaType, data, { form: /^image\/[a-z]+$/, at })];
  if (type === 'url' && typeof url === 'string') return [url];
  if (type !== 'file') throw invalid(`${at}.source`, `${at}.source must be of type base64 or url`);
  losses.refuse(`${at}.source`);
  return [];
}

/** Only files that no guardrail could read as text: text must come as text. */
function dataUrl(
  mediaType: unknown,
  data: unknown,
  { form, at }: { readonly form: RegExp; readonly at: string },
): string {
  const where = `${at}.source`;
  if (typeof mediaType !== 'string' || !form.test(mediaType)) {
    throw invalid(
      `${where}.media_type`,
      `${where}.media_type must be that of an image, or application/pdf in a document`,
    );
  }
  if (typeof data !== 'string') throw invalid(`${where}.data`, `${where}.data must be a string in base64`);
  return `data:${mediaType};base64,${data}`;
}

/** A text is a text everywhere, with its title before it; only as a file can it be cited. */
function documentParts(block: JsonObject, at: string, losses: LossList): JsonObject[] {
  const { source, title, context } = block;
  if (!isObject(source)) throw invalid(`${at}.source`, `${at}.source must be an object with a type`);
  const before = isGiven(context) ? [{ type: 'text', text: String(context) }] : [];
  const named = typeof title === 'string' ? { filename: title } : {};
  const cited: JsonObject = isCited(block) ? { citations: { enabled: true } } : {};
  const file = (data: string) => [...before, { type: 'file', file: { file_data: data, ...named }, ...cited }];
  const { type, data, media_type: mediaType, url, content } = source;
  switch (type) {
    case 'base64':
      return file(dataUrl(mediaType, data, { form: /^application\/pdf$/, at }));
    case 'text':
      return cited.citations === undefined
        ? [...before, { type: 'text', text: [title, data].filter((one) => typeof one === 'string').join('\n') }]
        : file(`data:text/plain;base64,${Buffer.from(String(data)).toString('base64')}`);
    case 'url':
      return file(String(url));
    case 'content':
      return [...before, ...chatContent(content, `${at}.source.content`, losses)];
    case 'file':
      losses.refuse(`${at}.source`);
      return [];
    default:
      throw invalid(`${at}.source.type`, `${at}.source.type must be base64, text, url or content`);
  }
}

/** A result of a search that the client made itself. */
function searchResult({ title, source, content }: JsonObject): string {
  const texts = Array.isArray(content) ? content.map((one: unknown) => (isObject(one) ? one.text : '')) : [];
  return [title, source, ...texts].filter((one) => typeof one === 'string').join('\n');
}
