// Finds the fields of messages that only some formats have.
import { isObject, type JsonObject, someObject } from '../../../common/json.ts';
import type { MessageField } from '../../conversation/message-fields.ts';

/** Of these fields, those that a message has. */
export function givenInMessages(messages: unknown, fields: readonly MessageField[]): string[] {
  return fields.filter((field) => someObject(messages, finders[field]));
}

const finders: Readonly<Record<MessageField, (message: JsonObject) => boolean>> = {
  'messages.audio': ({ role, audio }) => role === 'assistant' && isObject(audio),
  'messages.extra_content': (message) => isObject(message.extra_content) || someObject(message.tool_calls, hasExtra),
  'messages.file.filename': ({ content }) => someObject(content, isNamedFile),
  'messages.image_url.detail': ({ content }) => someObject(content, hasDetail),
  'messages.prompt_cache_breakpoint.ttl': (message) => hasTtl(message) || someObject(message.content, hasTtl),
  'messages.thinking_blocks': ({ thinking_blocks: blocks }) => Array.isArray(blocks) && blocks.length > 0,
};

function hasExtra({ extra_content: extra }: JsonObject): boolean {
  return isObject(extra);
}

function isNamedFile({ file }: JsonObject): boolean {
  return isObject(file) && typeof file.filename === 'string';
}

/** Without a detail, or with `auto`, the model decides. */
function hasDetail({ image_url: image }: JsonObject): boolean {
  return isObject(image) && (image.detail === 'low' || image.detail === 'high');
}

function hasTtl({ prompt_cache_breakpoint: point }: JsonObject): boolean {
  return isObject(point) && typeof point.ttl === 'string';
}
