// Locations of text in a request of the Responses API (SDK type `ResponseCreateParams` of the package openai). A field
// that is not named here is inspected.
import {
  anything,
  document,
  exempt,
  fields,
  joined,
  json,
  type TextLocation,
  text,
  unseen,
} from './inspection-schema.ts';
import { cacheMark, id, isBase64, isMedia, media, name, number, opaque, word } from './message-schema.ts';
import { schema } from './request-schema.ts';

/** A content or an output is a text or a list of parts. */
const content: TextLocation = {
  ...joined,
  fields: {
    type: word,
    text: joined,
    refusal: joined,
    image_url: media,
    detail: word,
    file_data: document('a file', (value) => isMedia(value) || isBase64(value)),
    file_url: media,
    file_id: id,
    filename: text,
    annotations: anything,
    logprobs: unseen('tokens of the text beside it'),
    prompt_cache_breakpoint: cacheMark,
  },
};

const format = fields({ type: word, syntax: word, definition: text });

const toolFields: Readonly<Record<string, TextLocation>> = {
  type: word,
  name,
  description: text,
  parameters: schema,
  output_schema: schema,
  strict: anything,
  defer_loading: unseen('a switch'),
  async: unseen('a switch'),
  allowed_callers: word,
  format,
  get tools() {
    return tool;
  },
};
const tool: TextLocation = { strings: 'text', fields: toolFields };

const summary = fields({ type: word, text });

/** An item of the input: a message, a call, its output or reasoning. A text alone is a message. */
const item: TextLocation = {
  ...joined,
  fields: {
    type: word,
    role: word,
    status: word,
    phase: word,
    id,
    call_id: id,
    name,
    namespace: name,
    content,
    arguments: json,
    input: text,
    output: content,
    summary,
    encrypted_content: opaque,
    tools: tool,
  },
  turn: 'by role',
};

const textFormat = fields({ type: word, name, description: text, schema, strict: anything });

const namedTool = fields({ type: word, name, namespace: name });

export const responsesRequestLocations = fields({
  instructions: text,
  input: item,
  tools: tool,
  tool_choice: {
    ...word,
    fields: { type: word, name, namespace: name, mode: word, server_label: text, tools: namedTool },
  },
  text: fields({ format: textFormat, verbosity: word }),
  reasoning: fields({ effort: word, summary: word, generate_summary: word }),
  // Fields that the model does not see.
  model: exempt('the gateway reads it'),
  user: exempt("names the caller's user to the vendor"),
  safety_identifier: exempt("names the caller's user to the vendor"),
  prompt_cache_key: exempt('names a cache to the vendor'),
  metadata: unseen('only the response repeats it'),
  client_metadata: unseen('the gateway does not send it'),
  stream_options: unseen('how the response is sent'),
  include: word,
  service_tier: word,
  truncation: word,
  prompt_cache_retention: word,
  ...Object.fromEntries(
    [
      ...['stream', 'store', 'background', 'parallel_tool_calls', 'temperature', 'top_p', 'top_logprobs'],
      ...['max_output_tokens', 'max_tool_calls'],
    ].map((option) => [option, number]),
  ),
});
