// All routes of the proxy, one row for each method of a path. What matches requests (match.ts) and what documents them
// (docs/openapi.yaml) is made from this table.
import type { VendorName } from '../../common/vendors.ts';
import type { ClientFormatName } from '../formats/client-format.ts';

interface Row {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * `{name}` is one segment, `{+name}` one or more of them (as in RFC 6570); neither is empty. `{provider}` is a
   * provider's name or alias. If several paths match, one without names is used, else the first of the table.
   */
  readonly path: string;
  /** One sentence, for the document. */
  readonly summary: string;
}

export interface ChatRow extends Row {
  /** A response of a model, a shorter form of the conversation, or only the count of the request's tokens. */
  readonly operation: 'generate' | 'compact' | 'count';
  readonly format: ClientFormatName;
  /** The vendor whose clients use the route: a model name without a provider is looked up there first. */
  readonly home: VendorName;
  /** Whether the path demands a stream or forbids it; absent if the body decides. */
  readonly stream?: boolean;
  /** `alt`: the query's `alt` decides how the pieces of the stream are separated. Default: as the format has them. */
  readonly framing?: 'alt';
}

export interface ModelsRow extends Row {
  /** The list of models, or one of them. */
  readonly operation: 'models' | 'model';
  /** `marked`: the clients of several formats use the path, and mark their requests with a header. */
  readonly format: ClientFormatName | 'marked';
}

/** What happens to a stored response. */
export interface StoredRow extends Row {
  readonly operation: 'read' | 'delete' | 'cancel' | 'items';
  readonly format: 'responses';
}

export type RouteRow = ChatRow | ModelsRow | StoredRow;

export function isChat(row: RouteRow): row is ChatRow {
  return row.operation === 'generate' || row.operation === 'compact' || row.operation === 'count';
}

export function isStored(row: RouteRow): row is StoredRow {
  return row.format === 'responses' && !isChat(row);
}

const gptChat = { method: 'POST', operation: 'generate', format: 'chat_completions', home: 'gpt-provider' } as const;
const studioChat = { ...gptChat, home: 'studio-ai' } as const;
const messages = { method: 'POST', operation: 'generate', format: 'messages', home: 'assistant-provider' } as const;
const gptResponses = { ...gptChat, format: 'responses' } as const;
const studioResponses = { ...gptResponses, home: 'studio-ai' } as const;
const generateContent = {
  method: 'POST',
  operation: 'generate',
  format: 'generate_content',
  home: 'search-provider',
  stream: false,
} as const;
const converse = {
  method: 'POST',
  operation: 'generate',
  format: 'converse',
  home: 'managed-cloud-models',
  stream: false,
} as const;
const invoke = { ...converse, format: 'invoke' } as const;
const get = { method: 'GET', format: 'marked' } as const;
const stored = { format: 'responses' } as const;

export const routeRows: readonly RouteRow[] = [
  { ...gptChat, path: '/v1/chat/completions', summary: 'A chat completion of any model' },
  { ...studioChat, path: '/openai/v1/chat/completions', summary: 'A chat completion, for SDKs of Azure' },

  { ...messages, path: '/v1/messages', summary: 'A message of any model' },
  // One SDK of this format wants the version in the base URL, another one does not.
  { ...messages, path: '/messages', summary: 'A message, for SDKs that add no version to the path' },
  { ...messages, operation: 'count', path: '/v1/messages/count_tokens', summary: 'The tokens of a Messages request' },
  {
    ...messages,
    operation: 'count',
    path: '/messages/count_tokens',
    summary: 'The tokens of a Messages request, for SDKs that add no version to the path',
  },

  { ...gptResponses, path: '/v1/responses', summary: 'A response of any model' },
  { ...studioResponses, path: '/openai/responses', summary: 'A response, for SDKs of Azure' },
  { ...studioResponses, path: '/openai/v1/responses', summary: "A response, for SDKs of Azure's v1 API" },
  {
    ...gptResponses,
    operation: 'count',
    path: '/v1/responses/input_tokens',
    summary: 'The tokens of a Responses request',
  },
  {
    ...studioResponses,
    operation: 'count',
    path: '/openai/responses/input_tokens',
    summary: 'The tokens of a Responses request, for SDKs of Azure',
  },
  {
    ...studioResponses,
    operation: 'count',
    path: '/openai/v1/responses/input_tokens',
    summary: "The tokens of a Responses request, for SDKs of Azure's v1 API",
  },

  ...(
    [
      [gptResponses, '/v1/responses'],
      [studioResponses, '/openai/responses'],
      [studioResponses, '/openai/v1/responses'],
    ] as const
  ).flatMap(([home, path]): RouteRow[] => [
    {
      ...home,
      operation: 'compact',
      stream: false,
      path: `${path}/compact`,
      summary: 'A conversation in a shorter form, which only its vendor can read',
    },
    { ...stored, operation: 'read', method: 'GET', path: `${path}/{id}`, summary: 'A stored response' },
    { ...stored, operation: 'delete', method: 'DELETE', path: `${path}/{id}`, summary: 'Deletes a stored response' },
    {
      ...stored,
      operation: 'cancel',
      method: 'POST',
      path: `${path}/{id}/cancel`,
      summary: 'Cancels a response in the background',
    },
    {
      ...stored,
      operation: 'items',
      method: 'GET',
      path: `${path}/{id}/input_items`,
      summary: 'The input of a stored response',
    },
  ]),

  ...(['/v1beta', '/v1'] as const).flatMap((version): RouteRow[] => [
    {
      ...generateContent,
      path: `${version}/models/{+model}:generateContent`,
      summary: 'Content of any model',
    },
    {
      ...generateContent,
      stream: true,
      framing: 'alt',
      path: `${version}/models/{+model}:streamGenerateContent`,
      summary: 'Content of any model as a stream: events with `alt=sse`, else a JSON array',
    },
    {
      ...generateContent,
      operation: 'count',
      path: `${version}/models/{+model}:countTokens`,
      summary: 'The tokens of a generateContent request',
    },
  ]),

  { ...converse, path: '/model/{+model}/converse', summary: 'A Converse response of any model' },
  {
    ...converse,
    stream: true,
    path: '/model/{+model}/converse-stream',
    summary: 'A Converse response of any model as a stream of frames',
  },
  {
    ...converse,
    operation: 'count',
    path: '/model/{+model}/count-tokens',
    summary: 'The tokens of a Converse or InvokeModel request',
  },
  {
    ...invoke,
    path: '/model/{+model}/invoke',
    summary: 'A message of any model, for a body of the Messages API in the form of InvokeModel',
  },
  {
    ...invoke,
    stream: true,
    path: '/model/{+model}/invoke-with-response-stream',
    summary: 'The same as a stream of frames',
  },

  { ...get, operation: 'models', path: '/v1/models', summary: 'The models that the key may call' },
  { ...get, operation: 'model', path: '/v1/models/{+model}', summary: 'One model that the key may call' },
  {
    ...get,
    format: 'generate_content',
    operation: 'models',
    path: '/v1beta/models',
    summary: 'The models that the key may call, as generateContent clients read them',
  },
  {
    ...get,
    format: 'generate_content',
    operation: 'model',
    path: '/v1beta/models/{+model}',
    summary: 'One model that the key may call, as generateContent clients read it',
  },

  // The studio's SDK names a deployment in the path.
  {
    ...studioChat,
    path: '/openai/deployments/{model}/chat/completions',
    summary: 'A chat completion of the deployment, for SDKs of Azure',
  },
  {
    ...studioChat,
    path: '/v1/deployments/{model}/chat/completions',
    summary: 'A chat completion of the deployment, for SDKs of Azure with a base URL',
  },

  // After all others, because these match the most.
  {
    ...gptChat,
    path: '/v1/{provider}/chat/completions',
    summary: "A chat completion with the caller's own key of the provider",
  },
  {
    ...gptChat,
    path: '/v1/{provider}/{endpoint}/chat/completions',
    summary: "A chat completion with the caller's own key of a provider whose address contains an endpoint",
  },
];
