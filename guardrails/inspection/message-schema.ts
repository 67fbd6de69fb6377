// Locations of text in a message, of a request or a response, because responses are sent back as history. Exempt are
// fields that the model does not see, and values that are not text.
import {
  anything,
  document,
  exempt,
  fields,
  fixed,
  joined,
  json,
  type TextLocation,
  text,
  unseen,
} from './inspection-schema.ts';

/** The form of identifiers. Any other text in their location is inspected. */
const isWord = (value: string) => value.length <= 64 && !/[^\w.-]/.test(value);
const hasNoSpace = (value: string) => !/\s/.test(value);
// Searches for a forbidden character instead of matching the allowed ones, which would need stack for long data.
export const isBase64 = (value: string) => !/[^A-Za-z0-9+/=_\r\n-]/.test(value);

export function isMedia(value: string): boolean {
  if (/^https?:\/\//i.test(value)) return hasNoSpace(value);
  const head = /^data:[^,\s]{0,200};base64,/i.exec(value.slice(0, 256));
  return head !== null && isBase64(value.slice(head[0].length));
}

export const word = exempt('one of the words that the format knows', isWord);
export const id = exempt('an id that a program made', hasNoSpace);
export const number = exempt('a number that steers the model', () => false);
export const encoded = exempt('base64: not decoded', isBase64);
export const opaque = exempt('signed or encrypted by a vendor, for itself', isBase64);
export const media = document('a picture, a sound or a file, or where it is fetched from', isMedia);
export const cacheMark = unseen('marks where a prompt is cached');

export const name = fixed('vendors take letters, digits, _ and - only');

const mediaObject: TextLocation = {
  ...media,
  fields: { url: media, detail: word, format: word, mime_type: exempt('a media type', hasNoSpace) },
};

/** A content may also be the text itself instead of a list. */
export const content: TextLocation = {
  ...joined,
  fields: {
    type: word,
    text: joined,
    refusal: joined,
    image_url: mediaObject,
    video_url: mediaObject,
    audio_url: mediaObject,
    input_audio: fields({ data: encoded, format: word }),
    file: fields({
      file_data: document('a file', (value) => isMedia(value) || isBase64(value)),
      file_id: id,
      filename: text,
      format: word,
    }),
    citations: fields({ enabled: unseen('a switch') }),
    thinking: text,
    signature: opaque,
    cache_control: cacheMark,
    prompt_cache_breakpoint: cacheMark,
  },
};

/** The search provider's addition to messages and calls. */
const extraContent = fields({ google: fields({ thought_signature: opaque }) });

const thinkingBlock = fields({
  type: word,
  thinking: text,
  text,
  summary: anything,
  signature: opaque,
  data: opaque,
  encrypted_content: opaque,
  id,
  format: word,
  index: number,
});

export const called = fields({ name, arguments: json });

const toolCall = fields({
  id,
  type: word,
  index: number,
  function: called,
  custom: fields({ name, input: text }),
  extra_content: extraContent,
  thought_signature: opaque,
  cache_control: cacheMark,
});

/** Blocks of a paused turn: calls and results of the vendor's own tools, which the model reads again. */
const contentBlock: TextLocation = {
  strings: 'text',
  fields: {
    type: word,
    id,
    tool_use_id: id,
    start_index: number,
    end_index: number,
    signature: opaque,
    data: opaque,
    encrypted_content: opaque,
    encrypted_index: opaque,
    caller: fields({ type: word, tool_id: id }),
    get content() {
      return contentBlock;
    },
  },
};

const documentCitation = fields({
  start_index: number,
  end_index: number,
  document_index: number,
  document_title: text,
  cited_text: text,
  start_char_index: number,
  end_char_index: number,
  start_page_number: number,
  end_page_number: number,
  start_block_index: number,
  end_block_index: number,
});

const urlCitation = fields({ url: text, title: text, start_index: number, end_index: number });

/** SDK types `ChatCompletionMessageParam` and `ChatCompletionMessage`, and vendors' additions. */
export const messageFields: Readonly<Record<string, TextLocation>> = {
  role: word,
  name,
  content,
  refusal: joined,
  reasoning_content: text,
  reasoning: text,
  reasoning_details: thinkingBlock,
  thinking_blocks: thinkingBlock,
  tool_calls: toolCall,
  function_call: called,
  tool_call_id: id,
  audio: fields({
    id,
    data: encoded,
    transcript: fixed('the audio beside it contains the same words'),
    expires_at: number,
    format: word,
    mime_type: exempt('a media type', hasNoSpace),
    sample_rate: number,
  }),
  images: fields({ type: word, image_url: mediaObject, index: number, thought_signature: opaque }),
  extra_content: extraContent,
  content_blocks: contentBlock,
  annotations: fields({
    type: word,
    url_citation: urlCitation,
    document_citation: documentCitation,
    file_citation: fields({ file_id: id, index: number }),
  }),
  cache_control: cacheMark,
};
