// Schemas of bodies in each client format, for the proxy's document: what the gateway itself requires of a request, and
// what makes a response one of the format. The rest is on the vendor's page.
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import type { Schema } from './schemas.ts';

export interface FormatSchemas {
  readonly title: string;
  readonly request: Schema & { readonly required: readonly string[] };
  readonly response: Schema;
  /** Media type of a stream. Default: events. */
  readonly stream?: string;
  /** Media types of a request beside JSON. */
  readonly media?: readonly string[];
  /** The request of a count, if it is not the format's own. */
  readonly countRequest?: Schema;
  /** A conversation in a shorter form; absent if the format has no route for it. */
  readonly compaction?: Schema;
  /** The count of tokens; absent if the format has no route for it. */
  readonly count?: Schema;
  readonly list?: Schema;
  readonly model?: Schema;
  /** Parameters of the list of models. */
  readonly query?: Readonly<Record<string, Schema>>;
}

const text = { type: 'string', minLength: 1 };
const turns = { type: 'array', minItems: 1, items: { type: 'object' } };
const whole = { type: 'integer', minimum: 0 };
const size = { type: 'integer', minimum: 1, maximum: 1000 };

const cloudPage = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime';
const frames = 'application/vnd.amazon.eventstream';

function object(
  properties: Readonly<Record<string, Schema>>,
  page?: string,
): Schema & { readonly required: readonly string[] } {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: true,
    ...(page !== undefined && { externalDocs: { url: page } }),
  };
}

export const formatSchemas: Readonly<Record<ClientFormatName, FormatSchemas>> = {
  chat_completions: {
    title: 'chat completions',
    request: object({ model: text, messages: turns }, 'https://platform.openai.com/docs/api-reference/chat/create'),
    response: object(
      { id: text, object: { const: 'chat.completion' }, choices: { type: 'array' } },
      'https://platform.openai.com/docs/api-reference/chat/object',
    ),
    list: object({ object: { const: 'list' }, data: { type: 'array', items: { type: 'object', required: ['id'] } } }),
    model: object({ id: text, object: { const: 'model' }, created: whole, owned_by: text }),
  },
  messages: {
    title: 'the Messages API',
    request: object(
      { model: text, max_tokens: { type: 'integer', minimum: 1 }, messages: turns },
      'https://platform.claude.com/docs/en/api/messages',
    ),
    response: object(
      { id: text, type: { const: 'message' }, role: { const: 'assistant' }, content: { type: 'array' } },
      'https://platform.claude.com/docs/en/api/messages',
    ),
    count: object({ input_tokens: whole }, 'https://platform.claude.com/docs/en/api/messages-count-tokens'),
    list: object({ data: { type: 'array' }, has_more: { type: 'boolean' }, first_id: {}, last_id: {} }),
    model: object({ type: { const: 'model' }, id: text, display_name: text, created_at: text }),
    query: { limit: size, after_id: text, before_id: text },
  },
  responses: {
    title: 'the Responses API',
    // A request that continues a stored response may have no input.
    request: object({ model: text }, 'https://platform.openai.com/docs/api-reference/responses/create'),
    response: object(
      { id: text, object: { const: 'response' }, status: text, output: { type: 'array' } },
      'https://platform.openai.com/docs/api-reference/responses/object',
    ),
    compaction: object(
      { id: text, object: { const: 'response.compaction' }, output: { type: 'array' }, usage: { type: 'object' } },
      'https://platform.openai.com/docs/api-reference/responses/compact',
    ),
    count: object(
      { object: { const: 'response.input_tokens' }, input_tokens: whole },
      'https://platform.openai.com/docs/api-reference/responses/input-tokens',
    ),
  },
  generate_content: {
    title: 'generateContent',
    request: object({ contents: { type: 'array' } }, 'https://ai.google.dev/api/generate-content'),
    response: object({}, 'https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse'),
    count: object({ totalTokens: whole }, 'https://ai.google.dev/api/tokens'),
    list: object({ models: { type: 'array', items: { type: 'object', required: ['name'] } } }),
    model: object({ name: text, displayName: text }),
    query: { pageSize: size, pageToken: { type: 'string' } },
  },
  converse: {
    title: 'Converse',
    request: object({ messages: turns }, `${cloudPage}_Converse.html`),
    response: object({ output: { type: 'object' }, stopReason: text, usage: { type: 'object' } }),
    stream: frames,
    countRequest: object({ input: { type: 'object' } }, `${cloudPage}_CountTokens.html`),
    count: object({ inputTokens: whole }),
  },
  invoke: {
    title: 'InvokeModel with bodies of the Messages API',
    request: object({ max_tokens: { type: 'integer', minimum: 1 }, messages: turns }, `${cloudPage}_InvokeModel.html`),
    response: object({
      id: text,
      type: { const: 'message' },
      role: { const: 'assistant' },
      content: { type: 'array' },
    }),
    stream: frames,
    media: ['application/octet-stream'],
  },
};
