// Where text stands in a message, of a request as of an answer: answers are sent back as history. The exemptions are what the
// model does not see, or what is no text.
import { anything, exempt, fields, fixed, joined, json, type Place, text, unseen } from './places.ts';

/** What identifiers of the format look like. Whatever else stands in such a place is inspected. */
const isWord = (value: string) => value.length <= 64 && !/[^\w.-]/.test(value);
const hasNoSpace = (value: string) => !/\s/.test(value);
// What is not allowed is looked for, not what is: that needs no stack, however long the data.
const isBase64 = (value: string) => !/[^A-Za-z0-9+/=_\r\n-]/.test(value);

function isMedia(value: string): boolean {
  if (/^https?:\/\//i.test(value)) return hasNoSpace(value);
  const head = /^data:[^,\s]{0,200};base64,/i.exec(value.slice(0, 256));
  return head !== null && isBase64(value.slice(head[0].length));
}

export const word = exempt('one of the words that the format knows', isWord);
export const id = exempt('an id that a program made', hasNoSpace);
export const number = exempt('a number that steers the model', () => false);
const encoded = exempt('base64: not decoded', isBase64);
const opaque = exempt('signed or encrypted by a vendor, for itself', isBase64);
const media = exempt('a picture, a sound or a file, or where it is fetched from', isMedia);
export const cacheMark = unseen('says where a prompt is cached');

export const name = fixed('vendors take letters, digits, _ and - only');

const mediaObject: Place = {
  ...media,
  fields: { url: media, detail: word, format: word, mime_type: exempt('a media type', hasNoSpace) },
};

/** Also a content that is no list but the text itself. */
export const content: Place = {
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
      file_data: { ...exempt('a file', (value) => isMedia(value) || isBase64(value)) },
      file_id: id,
      filename: text,
      format: word,
    }),
    thinking: text,
    signature: opaque,
    cache_control: cacheMark,
    prompt_cache_breakpoint: cacheMark,
  },
};

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
  extra_content: fields({ google: fields({ thought_signature: opaque }) }),
  thought_signature: opaque,
  cache_control: cacheMark,
});

const urlCitation = fields({ url: text, title: text, start_index: number, end_index: number });

/** SDK types `ChatCompletionMessageParam` and `ChatCompletionMessage`, and what vendors add to them. */
export const messageFields: Readonly<Record<string, Place>> = {
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
    transcript: fixed('the sound beside it says the same'),
    expires_at: number,
  }),
  images: fields({ type: word, image_url: mediaObject, index: number }),
  annotations: fields({
    type: word,
    url_citation: urlCitation,
    file_citation: fields({ file_id: id, index: number }),
  }),
  cache_control: cacheMark,
};
