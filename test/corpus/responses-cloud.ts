// Responses of the managed cloud service (SDK types `ConverseResponse`, `ConverseStreamOutput`).
import type { ConverseResponse, TokenUsage } from '@aws-sdk/client-bedrock-runtime';
import { parseExactJson } from '../../common/exact-json.ts';
import { framesOf } from '../support/cloud-frames.ts';
import { png } from '../support/png.ts';
import type { ExpectedResponse, Piece } from './corpus-responses.ts';
import type { OwnRow } from './responses.ts';
import { halves } from './responses-assistant.ts';

/** Bytes are base64 on the wire (SDK type `ContentBlock`). */
interface Block {
  readonly text?: string;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature: string };
    readonly redactedContent?: string;
  };
  readonly citationsContent?: {
    readonly content: readonly { readonly text: string }[];
    readonly citations: readonly object[];
  };
  readonly image?: { readonly format: string; readonly source: { readonly bytes: string } };
}

export interface CloudResponse extends Pick<ConverseResponse, 'usage' | 'metrics' | 'stopReason'> {
  readonly output: { readonly message: { readonly role: 'assistant'; readonly content: readonly Block[] } };
}

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  calls: 'tool_use',
  filter: 'content_filtered',
} as const;

export function cloudResponse({ pieces, ends, usage }: ExpectedResponse): CloudResponse {
  const { input, output, cached } = usage;
  const counts = {
    ...{ inputTokens: input - (cached ?? 0), outputTokens: output, totalTokens: input + output },
    ...(cached !== undefined && { cacheReadInputTokens: cached, cacheWriteInputTokens: 0 }),
  };
  return response(pieces.map(blockOf), stopReasons[ends], counts);
}

function blockOf(piece: Piece, at: number): Block {
  if ('text' in piece) return { text: piece.text };
  if ('thought' in piece) {
    const reasoningText = { text: piece.thought, signature: 'c2lnbmF0dXJl' };
    return { reasoningContent: { reasoningText } };
  }
  const toolUse = { toolUseId: `tooluse_${at}`, name: piece.call, input: parseExactJson(piece.args) };
  return { toolUse };
}

const plainUsage = { inputTokens: 20, outputTokens: 8, totalTokens: 28 };

function response(content: readonly object[], stopReason: string, usage: TokenUsage = plainUsage): CloudResponse {
  return {
    output: { message: { role: 'assistant', content: content } },
    stopReason: stopReason as NonNullable<ConverseResponse['stopReason']>,
    usage,
    metrics: { latencyMs: 100 },
  };
}

const ends = (native: string, finish: string): OwnRow<CloudResponse> => ({
  name: `ended with ${native}`,
  response: response([{ text: 'Tea' }], native),
  expected: { content: 'Tea', finish, native },
});
const quoting = (name: string, location: object): OwnRow<CloudResponse> => ({
  name: `a citation of ${name}`,
  response: response(
    [
      { text: 'So ' },
      {
        citationsContent: {
          content: [{ text: 'tea is hot.' }],
          citations: [{ title: 'a', sourceContent: [{ text: 'Tea is hot.' }], location }],
        },
      },
    ],
    'end_turn',
  ),
  expected: { content: 'So tea is hot.', finish: 'stop', has: ['annotations'] },
});

export const cloudRows: readonly OwnRow<CloudResponse>[] = [
  ends('stop_sequence', 'stop'),
  ends('guardrail_intervened', 'content_filter'),
  ends('malformed_model_output', 'error'),
  ends('malformed_tool_use', 'error'),
  ends('model_context_window_exceeded', 'length'),
  { name: 'nothing', response: response([], 'end_turn'), expected: { content: '', finish: 'stop' } },
  {
    name: 'an image',
    response: response([{ text: 'Here:' }, { image: { format: 'png', source: { bytes: png } } }], 'end_turn'),
    expected: { content: 'Here:', has: ['images'] },
  },
  {
    name: 'thoughts that are not shown',
    response: response([{ reasoningContent: { redactedContent: 'b3BhcXVl' } }, { text: 'Tea.' }], 'end_turn'),
    expected: { content: 'Tea.', has: ['thinking_blocks'] },
  },
  quoting('letters', { documentChar: { documentIndex: 0, start: 0, end: 11 } }),
  quoting('pages', { documentPage: { documentIndex: 0, start: 1, end: 2 } }),
  quoting('a page of the web', { web: { url: 'https://a.test', domain: 'a.test' } }),
];

export function cloudStream({ output, stopReason, usage, metrics }: CloudResponse): Buffer {
  const events = [
    { messageStart: { role: 'assistant' } },
    ...output.message.content.flatMap(blockEvents),
    { messageStop: { stopReason } },
    { metadata: { usage, metrics } },
  ];
  return framesOf(events.map((event) => JSON.stringify(event)).join('\n'));
}

function blockEvents(block: Block, contentBlockIndex: number): object[] {
  const delta = (one: object) => ({ contentBlockDelta: { contentBlockIndex, delta: one } });
  const start = (one: object) => ({ contentBlockStart: { contentBlockIndex, start: one } });
  return [...eventsOf(block, start, delta), { contentBlockStop: { contentBlockIndex } }];
}

type Wrap = (one: object) => object;

function eventsOf(block: Block, start: Wrap, delta: Wrap): object[] {
  const { text, reasoningContent, toolUse, citationsContent, image } = block;
  if (text !== undefined) return halves(text).map((one) => delta({ text: one }));
  if (toolUse !== undefined) {
    const { toolUseId, name, input } = toolUse;
    const pieces = halves(JSON.stringify(input));
    return [start({ toolUse: { toolUseId, name } }), ...pieces.map((one) => delta({ toolUse: { input: one } }))];
  }
  if (reasoningContent?.reasoningText !== undefined) {
    const { text: thought = '', signature } = reasoningContent.reasoningText;
    const thoughts = halves(thought).map((one) => delta({ reasoningContent: { text: one } }));
    return [...thoughts, delta({ reasoningContent: { signature } })];
  }
  if (reasoningContent !== undefined) return [delta({ reasoningContent })];
  if (image !== undefined) {
    return [start({ image: { format: image.format } }), delta({ image: { source: image.source } })];
  }
  const { content = [], citations = [] } = citationsContent ?? {};
  return [...content.map((one) => delta({ text: one.text })), ...citations.map((citation) => delta({ citation }))];
}
