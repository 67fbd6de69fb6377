// Responses of the assistant vendor (SDK types `Message`, `RawMessageStreamEvent` of @anthropic-ai/sdk).
import type Anthropic from '@anthropic-ai/sdk';
import { parseExactJson } from '../../common/exact-json.ts';
import type { ExpectedResponse, Piece } from './corpus-responses.ts';
import type { OwnRow } from './responses.ts';

type Message = Anthropic.Message;
type Block = Anthropic.ContentBlock;

const stopReasons = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use', filter: 'refusal' } as const;

export function assistantMessage({ pieces, ends, usage }: ExpectedResponse): Message {
  const { input, output, cached = 0, thought = 0 } = usage;
  return message(pieces.map(blockOf), {
    stop_reason: stopReasons[ends],
    usage: {
      ...plainUsage,
      ...{ input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached },
      output_tokens_details: { thinking_tokens: thought },
    },
  });
}

function blockOf(piece: Piece, at: number): Block {
  if ('text' in piece) return text(piece.text);
  if ('thought' in piece) return { type: 'thinking', thinking: piece.thought, signature: 'c2lnbmF0dXJl' };
  return {
    ...{ type: 'tool_use', id: `toolu_${at}`, name: piece.call, caller: { type: 'direct' } },
    input: parseExactJson(piece.args),
  } as Block;
}

const text = (text: string, citations: Anthropic.TextCitation[] | null = null): Block => ({
  type: 'text',
  text: text,
  citations,
});

const plainUsage: Message['usage'] = {
  cache_creation: null,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  inference_geo: null,
  input_tokens: 20,
  output_tokens: 8,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
};

function message(content: Block[], more: Partial<Message> = {}): Message {
  return {
    ...{ id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content },
    ...{
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: plainUsage,
    },
    ...more,
  } as Message;
}

const searching = {
  ...{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', caller: { type: 'direct' } },
  input: { query: 'tea' },
} as Block;
const found = {
  ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', caller: { type: 'direct' } },
  content: [
    {
      type: 'web_search_result',
      url: 'https://a.test',
      title: 'A',
      encrypted_content: 'ZW5j',
      page_age: null,
    },
  ],
} as Block;
const cited = { cited_text: 'Tea is hot.', document_index: 0, document_title: 'a', file_id: null };
const ends = (stop_reason: string, native: string, finish: string): OwnRow<Message> => ({
  name: `ended with ${native}`,
  response: message([text('Tea')], { stop_reason } as Partial<Message>),
  expected: { content: 'Tea', finish, native },
});
const quoting = (name: string, citation: object): OwnRow<Message> => ({
  name: `a citation of ${name}`,
  response: message([text('So '), text('tea is hot.', [citation as Anthropic.TextCitation])]),
  expected: { content: 'So tea is hot.', finish: 'stop', has: ['annotations'] },
});

export const assistantRows: readonly OwnRow<Message>[] = [
  ends('stop_sequence', 'stop_sequence', 'stop'),
  ends('model_context_window_exceeded', 'model_context_window_exceeded', 'length'),
  ends('something_new', 'something_new', 'stop'),
  ends('refusal', 'refusal', 'content_filter'),
  {
    name: 'a paused turn',
    response: message([text('Let me look.'), searching, found], { stop_reason: 'pause_turn' }),
    expected: { content: 'Let me look.', finish: 'length', native: 'pause_turn', has: ['content_blocks'] },
  },
  {
    name: 'a search',
    response: message([searching, found, text('Tea is hot.')]),
    expected: { content: 'Tea is hot.', calls: [], finish: 'stop' },
  },
  {
    name: 'thoughts that are not shown',
    response: message([{ type: 'redacted_thinking', data: 'b3BhcXVl' }, text('Tea.')]),
    expected: { content: 'Tea.', has: ['thinking_blocks'] },
  },
  { name: 'nothing', response: message([]), expected: { content: '', finish: 'stop' } },
  quoting('letters', { type: 'char_location', ...cited, start_char_index: 0, end_char_index: 11 }),
  quoting('pages', { type: 'page_location', ...cited, start_page_number: 1, end_page_number: 2 }),
  quoting('blocks', { type: 'content_block_location', ...cited, start_block_index: 0, end_block_index: 1 }),
  quoting('a page of the web', {
    ...{
      type: 'web_search_result_location',
      cited_text: 'x',
      encrypted_index: 'ZW5j',
      title: 'A',
      url: 'https://a.test',
    },
  }),
  {
    name: 'a cache that was written',
    response: message([text('Tea.')], {
      usage: {
        ...plainUsage,
        input_tokens: 5,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 40,
      },
    }),
    expected: { usage: [145, 8, 40] },
  },
];

export function assistantStream(whole: Message): Buffer {
  const { content, stop_reason, stop_sequence, stop_details, usage } = whole;
  const start = {
    ...whole,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events = [
    { type: 'message_start', message: start },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence, stop_details }, usage },
    { type: 'message_stop' },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

function blockEvents(block: Block, index: number): { readonly type: string }[] {
  const { empty, deltas } = opened(block);
  return [
    { type: 'content_block_start', ...{ index, content_block: empty } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', ...{ index, delta } })),
    { type: 'content_block_stop', ...{ index } },
  ];
}

function opened(block: Block): { readonly empty: object; readonly deltas: readonly object[] } {
  switch (block.type) {
    case 'text':
      return {
        empty: { ...block, text: '', citations: null },
        deltas: [
          ...halves(block.text).map((one) => ({ type: 'text_delta', text: one })),
          ...(block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
        ],
      };
    case 'thinking':
      return {
        empty: { ...block, thinking: '', signature: '' },
        deltas: [
          ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
    case 'server_tool_use':
      return {
        empty: { ...block, input: {} },
        deltas: halves(JSON.stringify(block.input)).map((one) => ({
          type: 'input_json_delta',
          partial_json: one,
        })),
      };
    default:
      return { empty: block, deltas: [] };
  }
}

/** Splits between two characters as people see them, so that none is broken. */
export function halves(whole: string): string[] {
  const letters = [...whole];
  const half = Math.ceil(letters.length / 2);
  return [letters.slice(0, half).join(''), letters.slice(half).join('')].filter((one) => one !== '');
}
