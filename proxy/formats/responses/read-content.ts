// Reads the content of a client's message or of a tool's output (SDK type `ResponseContent` of the package openai) into
// parts of chat completions.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';

/**
 * @param at path of the content
 * @returns a string if the client sent one
 * @throws GatewayError invalid_request that names the part
 */
export function chatContent(content: unknown, at: string, losses: LossList): string | JsonObject[] {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(at, `${at} must be a string or an array of parts`);
  return content.flatMap((part: unknown, index) => {
    const where = `${at}[${index}]`;
    if (!isObject(part)) throw invalid(where, `${where} must be an object with a type`);
    const { prompt_cache_breakpoint: point } = part;
    const mark = isObject(point) ? { prompt_cache_breakpoint: point } : {};
    return chatParts(part, where, losses).map((one) => ({ ...one, ...mark }));
  });
}

function chatParts(part: JsonObject, at: string, losses: LossList): readonly JsonObject[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      if (Array.isArray(part.annotations) && part.annotations.length > 0) losses.drop('input.content.annotations');
      return [{ type: 'text', text: text(part.text, `${at}.text`) }];
    case 'refusal':
      return [{ type: 'refusal', refusal: text(part.refusal, `${at}.refusal`) }];
    case 'input_image':
      return imageParts(part, at, losses);
    case 'input_file':
      return fileParts(part, at, losses);
    default:
      losses.refuse(at);
      return [];
  }
}

/** The detail `original` has no counterpart. */
function imageParts({ image_url: url, file_id: id, detail }: JsonObject, at: string, losses: LossList): JsonObject[] {
  if (!isGiven(url) && isGiven(id)) {
    losses.refuse(`${at}.file_id`);
    return [];
  }
  const known = detail === 'low' || detail === 'high' || detail === 'auto';
  if (isGiven(detail) && !known) losses.drop('input.content.detail');
  return [{ type: 'image_url', image_url: { url: text(url, `${at}.image_url`), ...(known && { detail }) } }];
}

/** A URL is where chat completions have the data. */
function fileParts(part: JsonObject, at: string, losses: LossList): JsonObject[] {
  const { file_data: data, file_url: url, file_id: id, filename } = part;
  if (isGiven(id)) {
    losses.refuse(`${at}.file_id`);
    return [];
  }
  if (isGiven(part.detail) && part.detail !== 'auto') losses.drop('input.content.detail');
  const field = isGiven(data) ? 'file_data' : 'file_url';
  const given = text(data ?? url, `${at}.${field}`);
  const file = { file_data: given, ...(typeof filename === 'string' && { filename }) };
  return [{ type: 'file', file }];
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw invalid(at, `${at} must be a string`);
}
