import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, eventsOf, post, valid } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const streamed = (change: object = {}) => post(simulator, { ...valid, stream: true, ...change });
const adaptive = { thinking: { type: 'adaptive' } };

// Fields of current responses that the recorded transcript does not have.
const newer = ['stop_details', 'output_tokens_details', 'inference_geo', 'caller'];
const varying = ['id', 'thinking', 'signature', 'text', 'partial_json'];

/** Removes fields that are newer than the transcript, and keeps only whether texts and ids are empty. */
const comparable = (events: readonly object[]) =>
  JSON.parse(JSON.stringify(events), (key, value) => {
    if (newer.includes(key)) return undefined;
    return varying.includes(key) && value !== '' ? 'some' : value;
  });

describe('a stream of the assistant provider', () => {
  it('equals the vendor’s transcript, event by event', async () => {
    simulator.script({
      reasoning: 'kettle.',
      text: 'On',
      toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }],
      usage: {
        input_tokens: 20,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
        output_tokens: 57,
      },
    });
    const response = await streamed({ tools: [boil], ...adaptive });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const transcript = await readFile(new URL('../../transcripts/assistant-provider.sse', import.meta.url), 'utf8');
    expect(comparable(response.events())).toEqual(comparable(eventsOf(transcript)));
  });

  it('has exactly these bytes', async () => {
    simulator.script({ text: 'Tea ready.', usage: { input_tokens: 1, output_tokens: 2 } });
    const { text: bytes } = await streamed();
    const usage = `"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard","inference_geo":"global"`;
    expect(bytes.replace(/msg_simulated\d+/, 'msg_1')).toBe(
      [
        'event: message_start',
        `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":1,${usage}}}}`,
        '',
        'event: content_block_start',
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        '',
        'event: ping',
        'data: {"type":"ping"}',
        '',
        'event: content_block_delta',
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Tea "}}',
        '',
        'event: content_block_delta',
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ready."}}',
        '',
        'event: content_block_stop',
        'data: {"type":"content_block_stop","index":0}',
        '',
        'event: message_delta',
        'data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}',
        '',
        'event: message_stop',
        'data: {"type":"message_stop"}',
        '',
        '',
      ].join('\n'),
    );
  });

  it.each<readonly [string, object, Behaviour]>([
    ['words', {}, {}],
    ['thinking', adaptive, {}],
    ['thinking kept back', { model: 'claude-opus-5' }, {}],
    ['encrypted thinking', adaptive, { reasoningRedacted: true }],
    [
      'calls',
      { tools: [boil] },
      {
        text: 'On it.',
        toolCalls: [
          { name: 'boil', arguments: '{"cups":2}' },
          { name: 'boil', arguments: '{}' },
        ],
      },
    ],
    ['citations', {}, { text: 'Tea is hot.', citations: [{ uri: 'https://example.com', text: 'hot' }] }],
    ['a stop', { stop_sequences: [' simulated'] }, {}],
    ['the token limit', { max_tokens: 5 }, {}],
    ['no token', { max_tokens: 0 }, {}],
    ['a refusal', {}, { blocked: 'cyber' }],
  ])('with %s adds up to the response without streaming', async (_name, change, behaviour) => {
    simulator.script(behaviour, { times: 2 });
    const whole = (await post(simulator, { ...valid, ...change })).json();
    const joined = accumulated((await streamed(change)).events());
    const ids = (value: unknown) => JSON.stringify(value).replaceAll(/simulated\d+/g, 'simulated');
    expect(ids(joined)).toBe(ids(whole));
  });

  it('begins the input of a call with an empty piece, except for a call without input', async () => {
    const pieces = async (input: string) => {
      simulator.script({ toolCalls: [{ name: 'boil', arguments: input }] });
      const events = (await streamed({ tools: [boil] })).events();
      return events.filter(({ delta }) => delta?.partial_json !== undefined).map(({ delta }) => delta.partial_json);
    };
    expect(await pieces('{"cups":2}')).toEqual(['', '{"cup', 's":2}']);
    expect(await pieces('{}')).toEqual(['', '{', '}']);
    expect(await pieces('')).toEqual([]);
  });

  it('reports one output token at its start and all at its end', async () => {
    const events = (await streamed(adaptive)).events();
    expect(events[0]?.message.usage).toMatchObject({ input_tokens: 8, output_tokens: 1 });
    expect(events.at(-2)?.usage).toMatchObject({
      input_tokens: 8,
      output_tokens: expect.any(Number),
      output_tokens_details: { thinking_tokens: expect.any(Number) },
    });
    simulator.script({ usage: null });
    expect((await streamed()).text).not.toContain('usage');
  });
});

describe('a failing stream of the assistant provider', () => {
  const failing = (behaviour: Behaviour) => {
    simulator.script({ tokens: 10, ...behaviour });
    return streamed();
  };

  it('has an error event instead of the rest', async () => {
    const response = await failing({ errorAfterEvents: 4 });
    const events = response.events();
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'error',
    ]);
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
      request_id: response.headers.get('request-id'),
    });
  });

  it('can fail before its first event, after a status of 200', async () => {
    const response = await failing({ errorAfterEvents: 0, error: { type: 'api_error', message: 'broken' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.events()).toMatchObject([{ type: 'error', error: { type: 'api_error', message: 'broken' } }]);
  });

  it('can end early', async () => {
    const response = await failing({ stop: { by: 'end', afterPieces: 5 } });
    expect(response.events().at(-1)?.type).toBe('content_block_delta');
  });

  it('is an error response from the start when scripted so', async () => {
    const response = await failing({ status: 529 });
    expect([response.status, response.json().error.type]).toEqual([529, 'overloaded_error']);
  });
});

type Event = ReturnType<typeof eventsOf>[number];

/** Assembles the response from the events as the vendor describes it. */
function accumulated(events: readonly Event[]): unknown {
  const message = structuredClone(events[0]?.message);
  for (const event of events) {
    if (event.type === 'content_block_start') message.content[event.index] = { ...event.content_block };
    if (event.type === 'content_block_delta') addDelta(message.content[event.index], event.delta);
    if (event.type === 'content_block_stop') closeBlock(message.content[event.index]);
    if (event.type !== 'message_delta') continue;
    Object.assign(message, event.delta);
    message.usage = inOrder({ ...message.usage, ...event.usage });
  }
  return message;
}

function addDelta(block: Record<string, unknown>, delta: Event): void {
  const { type: _, ...added } = delta;
  for (const [key, value] of Object.entries(added)) {
    if (key === 'citation') block.citations = [...(block.citations as unknown[]), value];
    else block[key] = `${block[key] ?? ''}${value}`;
  }
}

function closeBlock(block: Record<string, unknown>): void {
  if (block.partial_json === undefined) return;
  block.input = JSON.parse(block.partial_json as string);
  delete block.partial_json;
}

function inOrder(usage: Record<string, unknown>): Record<string, unknown> {
  const order = [
    'input_tokens',
    'cache_creation_input_tokens',
    'cache_read_input_tokens',
    'cache_creation',
    'output_tokens',
    'output_tokens_details',
    'server_tool_use',
    'service_tier',
    'inference_geo',
  ];
  return Object.fromEntries(order.filter((key) => key in usage).map((key) => [key, usage[key]]));
}
