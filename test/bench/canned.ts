// The responses of the upstreams in each wire format: the same text, whole and as a stream of tokens.
import { EventStreamCodec } from '@smithy/eventstream-codec';

/** The text of every whole response. */
export const cannedText = 'A canned output for the benchmark. '.repeat(7);
const token = ' token';

export interface Canned {
  /** The name that callers use. */
  readonly model: string;
  /** The prefix of every path of this vendor at the upstream. */
  readonly path: string;
  readonly response: object;
  readonly streamType: string;
  /** The bytes before the first token, of one token, and after the last token. */
  readonly opening: string | Buffer;
  readonly token: string | Buffer;
  readonly closing: string | Buffer;
}

const gptUsage = {
  prompt_tokens: 220,
  completion_tokens: 49,
  total_tokens: 269,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};

const gptChunk = (delta: object, finish: string | null) =>
  data({
    id: 'chatcmpl-bench0000000000000000000',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });

const claudeUsage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, service_tier: 'standard' };
const claudeMessage = {
  id: 'msg_bench0000000000000000',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
};

const geminiReply = (parts: readonly object[], more: object) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 220, candidatesTokenCount: 49, totalTokenCount: 269 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'bench0000000000000000',
});

const converseUsage = { inputTokens: 220, outputTokens: 49, totalTokens: 269 };

/** Fields of a response object of the Responses API that are equal in every event. */
const responsesFields = {
  id: 'resp_bench0000000000000000',
  object: 'response',
  created_at: 1_790_000_000,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: 'gpt-4o-mini-2024-07-18',
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
};

const responsesUsage = {
  input_tokens: 220,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 49,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 269,
};

const itemId = 'msg_bench0000000000000000';
const itemPart = { item_id: itemId, output_index: 0, content_index: 0 };
const outputText = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text });
const outputMessage = (status: string, content: readonly object[]) => ({
  ...{ id: itemId, type: 'message', status, content, role: 'assistant' },
});
const responsesOf = (status: string, text?: string) => ({
  ...{ ...responsesFields, status },
  output: text === undefined ? [] : [outputMessage(status, [outputText(text)])],
  usage: text === undefined ? null : responsesUsage,
});

/** The last events of a stream repeat the whole text, here of a hundred tokens. */
const streamedText = token.repeat(100);

export const canned = {
  'gpt-provider': {
    model: 'gpt-provider/gpt-4o-mini',
    path: '/v1/',
    response: {
      id: 'chatcmpl-bench0000000000000000000',
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'gpt-4o-mini-2024-07-18',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: cannedText, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: gptUsage,
      service_tier: 'default',
      system_fingerprint: 'fp_bench',
    },
    streamType: 'text/event-stream; charset=utf-8',
    opening: gptChunk({ role: 'assistant', content: '' }, null),
    token: gptChunk({ content: token }, null),
    closing: `${gptChunk({}, 'stop')}data: [DONE]\n\n`,
  },
  'assistant-provider': {
    model: 'assistant-provider/claude-sonnet-4-5',
    path: '/assistant-provider/',
    response: {
      ...claudeMessage,
      content: [{ type: 'text', text: cannedText }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 220, output_tokens: 49, ...claudeUsage },
    },
    streamType: 'text/event-stream; charset=utf-8',
    opening:
      event({
        type: 'message_start',
        message: {
          ...claudeMessage,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 220, output_tokens: 1, ...claudeUsage },
        },
      }) + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    token: event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: token } }),
    closing:
      event({ type: 'content_block_stop', index: 0 }) +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 100 },
      }) +
      event({ type: 'message_stop' }),
  },
  'search-provider': {
    model: 'search-provider/gemini-2.5-flash',
    path: '/search-provider/',
    response: geminiReply([{ text: cannedText }], { finishReason: 'STOP' }),
    streamType: 'text/event-stream',
    opening: '',
    token: data(geminiReply([{ text: token }], {}), '\r\n'),
    closing: data(geminiReply([{ text: '' }], { finishReason: 'STOP' }), '\r\n'),
  },
  'managed-cloud-models': {
    model: 'managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    path: '/managed-cloud-models/',
    response: {
      output: { message: { role: 'assistant', content: [{ text: cannedText }] } },
      stopReason: 'end_turn',
      usage: converseUsage,
      metrics: { latencyMs: 812 },
    },
    streamType: 'application/vnd.amazon.eventstream',
    opening: frame('messageStart', { role: 'assistant' }),
    token: frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: token }, p: 'abcdefgh' }),
    closing: Buffer.concat([
      frame('contentBlockStop', { contentBlockIndex: 0 }),
      frame('messageStop', { stopReason: 'end_turn' }),
      frame('metadata', { usage: converseUsage, metrics: { latencyMs: 812 } }),
    ]),
  },
} as const satisfies Record<string, Canned>;

export type CannedVendor = keyof typeof canned;

/** The Responses API of gpt-provider. */
const cannedResponses: Canned = {
  model: canned['gpt-provider'].model,
  path: '/v1/responses',
  response: responsesOf('completed', cannedText),
  streamType: 'text/event-stream; charset=utf-8',
  opening:
    event({ type: 'response.created', sequence_number: 0, response: responsesOf('in_progress') }) +
    event({ type: 'response.in_progress', sequence_number: 1, response: responsesOf('in_progress') }) +
    event({
      ...{ type: 'response.output_item.added', sequence_number: 2, output_index: 0 },
      item: outputMessage('in_progress', []),
    }) +
    event({ type: 'response.content_part.added', sequence_number: 3, ...itemPart, part: outputText('') }),
  token: event({
    ...{ type: 'response.output_text.delta', sequence_number: 4, ...itemPart },
    ...{ delta: token, logprobs: [], obfuscation: 'abcdefgh' },
  }),
  closing:
    event({
      ...{ type: 'response.output_text.done', sequence_number: 104, ...itemPart },
      ...{ text: streamedText, logprobs: [] },
    }) +
    event({ type: 'response.content_part.done', sequence_number: 105, ...itemPart, part: outputText(streamedText) }) +
    event({
      ...{ type: 'response.output_item.done', sequence_number: 106, output_index: 0 },
      item: outputMessage('completed', [outputText(streamedText)]),
    }) +
    event({
      ...{ type: 'response.completed', sequence_number: 107 },
      response: responsesOf('completed', streamedText),
    }),
};

/** What the upstream has under each path; a longer path comes first. */
export const cannedUpstreams: readonly Canned[] = [cannedResponses, ...Object.values(canned)];

/** Returns the vendor whose path prefix matches. */
export function cannedFor(path: string): Canned {
  return cannedUpstreams.find((vendor) => path.startsWith(vendor.path)) ?? canned['gpt-provider'];
}

function data(value: object, lineEnd = '\n'): string {
  return `data: ${JSON.stringify(value)}${lineEnd}${lineEnd}`;
}

function event(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\n${data(value)}`;
}

function frame(type: string, payload: object): Buffer {
  const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString(), Buffer.from);
  const header = (value: string) => ({ type: 'string' as const, value });
  const headers = {
    ':event-type': header(type),
    ':content-type': header('application/json'),
    ':message-type': header('event'),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) }));
}
