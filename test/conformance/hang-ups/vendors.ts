// Five vendors that return a number of words in their own wire formats, whole and streamed, and report usage where the
// real vendor does. Each word is two tokens, so the number of words in the sent bytes gives the generated tokens when a
// response breaks off, independently of the gateway's code.
import { eventFrame } from '../../../simulator/managed-cloud-models/frames.ts';
import type { VendorName } from '../../../simulator/vendors.ts';

export interface VendorResponse {
  readonly contentType: string;
  readonly body: Buffer;
}

export const wordCount = 12;
export const promptTokens = 20;
export const outputTokens = 2 * wordCount;

/** Models that do not hide their reasoning. */
export const models = {
  'gpt-provider': 'gpt-4o',
  'studio-ai': 'gpt-4o',
  'managed-cloud-models': 'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
  'assistant-provider': 'claude-haiku-4-5',
  'search-provider': 'gemini-2.0-flash',
} as const satisfies Record<VendorName, string>;

/** Output tokens of the words that have begun in these bytes. */
export function generatedIn(bytes: Buffer): number {
  return 2 * (bytes.toString('latin1').match(/w\d/g) ?? []).length;
}

const words = Array.from({ length: wordCount }, (_, at) => `w${at % 10} `);
const text = words.join('');
const json = 'application/json';
const sse = 'text/event-stream';

export function wholeResponse(vendor: VendorName): VendorResponse {
  return { contentType: json, body: Buffer.from(JSON.stringify(wholes[vendor])) };
}

export function streamedResponse(vendor: VendorName): VendorResponse {
  return streams[vendor]();
}

const completionUsage = {
  prompt_tokens: promptTokens,
  completion_tokens: outputTokens,
  total_tokens: promptTokens + outputTokens,
};
const head = { id: 'chatcmpl-1', created: 1_795_176_000, model: 'm' };
const completion = {
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: completionUsage,
};
const messageUsage = { input_tokens: promptTokens, output_tokens: outputTokens };
const cloudUsage = {
  inputTokens: promptTokens,
  outputTokens,
  totalTokens: promptTokens + outputTokens,
};
const searchUsage = {
  promptTokenCount: promptTokens,
  candidatesTokenCount: outputTokens,
  totalTokenCount: promptTokens + outputTokens,
};

const wholes = {
  'gpt-provider': completion,
  'studio-ai': completion,
  'managed-cloud-models': {
    output: { message: { role: 'assistant', content: [{ text }] } },
    stopReason: 'end_turn',
    usage: cloudUsage,
  },
  'assistant-provider': {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text }] },
    ...{ stop_reason: 'end_turn', stop_sequence: null, usage: messageUsage },
  },
  'search-provider': {
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: searchUsage,
    responseId: 'r',
  },
} as const satisfies Record<VendorName, object>;

const streams = {
  'gpt-provider': chunks,
  'studio-ai': chunks,
  'managed-cloud-models': frames,
  'assistant-provider': messageEvents,
  'search-provider': replies,
} as const satisfies Record<VendorName, () => VendorResponse>;

function events(all: readonly object[], last = ''): VendorResponse {
  const lines = all.map((event) => {
    const name = 'type' in event ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: sse, body: Buffer.from(lines.join('') + last) };
}

function chunks(): VendorResponse {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const usage = { ...head, object: 'chat.completion.chunk', choices: [], usage: completionUsage };
  const stated = words.map((content) => chunk({ content }));
  return events([chunk({ role: 'assistant', content: '' }), ...stated, chunk({}, 'stop'), usage], 'data: [DONE]\n\n');
}

function messageEvents(): VendorResponse {
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] },
    ...{ stop_reason: null, stop_sequence: null },
    // The placeholder that the vendor sends.
    usage: { input_tokens: promptTokens, output_tokens: 1 },
  };
  return events([
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((one) => ({
      ...{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: one } },
    })),
    { type: 'content_block_stop', index: 0 },
    {
      ...{ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } },
      usage: { output_tokens: outputTokens },
    },
    { type: 'message_stop' },
  ]);
}

function frames(): VendorResponse {
  const frame = (type: string, payload: object) => eventFrame(type, JSON.stringify(payload));
  const body = Buffer.concat([
    frame('messageStart', { role: 'assistant' }),
    ...words.map((one) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: one } })),
    frame('contentBlockStop', { contentBlockIndex: 0 }),
    frame('messageStop', { stopReason: 'end_turn' }),
    frame('metadata', { usage: cloudUsage, metrics: { latencyMs: 1 } }),
  ]);
  return { contentType: 'application/vnd.amazon.eventstream', body };
}

function replies(): VendorResponse {
  const reply = (part: string, at: number) => ({
    candidates: [
      {
        ...{ index: 0, content: { role: 'model', parts: [{ text: part }] } },
        ...(at === words.length - 1 && { finishReason: 'STOP' }),
      },
    ],
    // The counts are cumulative, as from the real vendor.
    usageMetadata: {
      ...searchUsage,
      candidatesTokenCount: 2 * (at + 1),
      totalTokenCount: promptTokens + 2 * (at + 1),
    },
    responseId: 'r',
  });
  return events(words.map(reply));
}
