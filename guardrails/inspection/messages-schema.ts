// Locations of text in a request of the Messages API (SDK type `MessageCreateParams` of @anthropic-ai/sdk). A field that
// is not named here is inspected.
import { anything, exempt, fields, fixed, joined, type TextLocation, text, unseen } from './inspection-schema.ts';
import { cacheMark, encoded, id, media, name, number, opaque, word } from './message-schema.ts';
import { schema } from './request-schema.ts';

const mediaType = exempt('a media type', (value) => !/\s/.test(value));

const plainSource: Readonly<Record<string, TextLocation>> = {
  type: word,
  media_type: mediaType,
  url: media,
  file_id: id,
  data: text,
  get content() {
    return block;
  },
};
const encodedSource: TextLocation = {
  strings: 'text',
  fields: { type: word, media_type: mediaType, data: encoded },
};

/** Base64 data, a URL, blocks of a document, or its text, which may look like base64. */
const source: TextLocation = {
  strings: 'text',
  fields: plainSource,
  of: ({ type }) => (type === 'base64' ? encodedSource : plainText),
};
const plainText: TextLocation = { strings: 'text', fields: plainSource };

/** A content is a text or a list of blocks; results of tools contain blocks again. */
const block: TextLocation = {
  ...joined,
  fields: {
    type: word,
    text: joined,
    source,
    id,
    tool_use_id: id,
    name,
    thinking: text,
    signature: opaque,
    encrypted_content: opaque,
    encrypted_index: opaque,
    cache_control: cacheMark,
    is_error: unseen('a switch'),
    citations: { strings: 'text', fields: { enabled: unseen('a switch'), encrypted_index: opaque } },
    get content() {
      return block;
    },
  },
};

/** The data of a redacted thinking is the vendor's own, but the field has the name of a picture's data. */
const message: TextLocation = {
  ...fields({
    role: word,
    content: { ...block, fields: { ...block.fields, data: opaque } },
    output_config: fields({ effort: word }),
  }),
  turn: 'by role',
};

const tool = fields({
  type: word,
  name,
  description: text,
  input_schema: schema,
  strict: anything,
  cache_control: cacheMark,
  defer_loading: unseen('a switch'),
  eager_input_streaming: unseen('a switch'),
});

export const messagesRequestLocations = fields({
  system: block,
  messages: message,
  tools: tool,
  tool_choice: fields({ type: word, name, disable_parallel_tool_use: unseen('a switch') }),
  stop_sequences: fixed('a placeholder would end the response elsewhere'),
  output_config: fields({ effort: word, format: fields({ type: word, schema }) }),
  output_format: fields({ type: word, schema }),
  thinking: fields({ type: word, display: word, budget_tokens: number }),
  context_management: fields({ edits: fields({ type: word }) }),
  // Fields that the model does not see.
  model: exempt('the gateway reads it'),
  // Its only member is `user_id`.
  metadata: {
    ...unseen("names the caller's user to the vendor"),
    requestedBy: ['user', 'safety_identifier', 'metadata'],
  },
  service_tier: word,
  speed: word,
  inference_geo: word,
  cache_control: cacheMark,
  stream: number,
  max_tokens: number,
  temperature: number,
  top_p: number,
  top_k: number,
});
