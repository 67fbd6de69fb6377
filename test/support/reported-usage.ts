// Responses of each vendor with a given usage, whole and streamed, as the proxy's readers read them.
import type { JsonObject } from '../../common/json.ts';
import type { SpecialUsage } from '../../proxy/conversation/usage.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { framesOf } from './cloud-frames.ts';
import { callOf } from './vendor-calls.ts';

export interface ReportedUsage {
  /** Fields of the request. */
  readonly request?: object;
  readonly usage: object;
  /** Fields of the response beside the usage. */
  readonly beside?: object;
  readonly head?: Record<string, string>;
}

export type Read = (vendor: VendorName, reported: ReportedUsage) => Partial<SpecialUsage> | undefined;

const models: Readonly<Record<VendorName, string>> = {
  'gpt-provider': 'gpt-5.6',
  'studio-ai': 'gpt-5.6',
  'managed-cloud-models': 'amazon.nova-pro-v1:0',
  'assistant-provider': 'claude-opus-4-8',
  'search-provider': 'gemini-2.5-flash',
};

export function callFor(vendor: VendorName, { request }: ReportedUsage, stream: boolean) {
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = { messages, ...request, ...(stream && { stream, stream_options: { include_usage: true } }) };
  return callOf(vendor, models[vendor], body);
}

const message = { role: 'assistant', content: 'Hi' };
const gptWhole = ({ usage, beside }: ReportedUsage) => ({
  ...{ id: 'a', model: 'm', usage, choices: [{ index: 0, message, finish_reason: 'stop' }] },
  ...beside,
});

const wholes: Readonly<Record<VendorName, (reported: ReportedUsage) => object>> = {
  'gpt-provider': gptWhole,
  'studio-ai': gptWhole,
  'managed-cloud-models': ({ usage, beside }) => ({
    ...{ output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn' },
    ...{ usage, ...beside },
  }),
  'assistant-provider': ({ usage }) => ({
    ...{ id: 'a', type: 'message', model: 'm', stop_reason: 'end_turn', usage },
    content: [{ type: 'text', text: 'Hi' }],
  }),
  'search-provider': ({ usage: usageMetadata, beside }) => ({
    candidates: [geminiCandidate(beside)],
    usageMetadata,
  }),
};

function geminiCandidate(beside: object = {}) {
  return { content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP', ...beside };
}

export const whole: Read = (vendor, reported) => {
  const call = callFor(vendor, reported, false);
  const body = Buffer.from(JSON.stringify(wholes[vendor](reported)));
  return call.target.provider.format.readResponse(call, { head: reported.head ?? {}, body }).usage?.special;
};

export const sse = (events: readonly JsonObject[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const gptStream = ({ usage, beside }: ReportedUsage) => {
  const head = { id: 'a', object: 'chat.completion.chunk', model: 'm', ...beside };
  const delta = { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null };
  return Buffer.from(
    `${sse([
      { ...head, choices: [delta], usage: null },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null },
      { ...head, choices: [], usage },
    ])}data: [DONE]\n\n`,
  );
};

const streams: Readonly<Record<VendorName, (reported: ReportedUsage) => Buffer>> = {
  'gpt-provider': gptStream,
  'studio-ai': gptStream,
  'managed-cloud-models': ({ usage, beside }) =>
    framesOf(
      [
        { messageStart: { role: 'assistant' } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        { messageStop: { stopReason: 'end_turn' } },
        { metadata: { usage, metrics: { latencyMs: 1 }, ...beside } },
      ]
        .map((frame) => JSON.stringify(frame))
        .join('\n'),
    ),
  'assistant-provider': ({ usage }) => {
    const { server_tool_use, ...start } = usage as JsonObject;
    return Buffer.from(
      sse([
        {
          type: 'message_start',
          message: { id: 'a', model: 'm', content: [], usage: { ...start, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'content_block_stop', index: 0 },
        {
          ...{ type: 'message_delta', delta: { stop_reason: 'end_turn' } },
          // SDK type `MessageDeltaUsage`: tier, speed and geography were sent at the start.
          usage: { output_tokens: 5, server_tool_use: server_tool_use ?? null },
        },
        { type: 'message_stop' },
      ]),
    );
  },
  'search-provider': ({ usage: usageMetadata, beside }) =>
    Buffer.from(
      sse([
        { candidates: [{ content: { parts: [{ text: 'H' }] } }], usageMetadata: { promptTokenCount: 1 } },
        { candidates: [geminiCandidate(beside)], usageMetadata },
      ]),
    ),
};

export const streamed: Read = (vendor, reported) => {
  const call = callFor(vendor, reported, true);
  const reader = call.target.provider.format.openStream(call, reported.head ?? {}, { eventBytesMax: 65_536 });
  reader.push(streams[vendor](reported));
  reader.end();
  if (!reader.complete) throw new Error(`the stream of ${vendor} did not end`);
  return reader.usage?.special;
};
