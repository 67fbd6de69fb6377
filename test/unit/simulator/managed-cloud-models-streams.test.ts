import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { eventFrame } from '../../../simulator/managed-cloud-models/frames.ts';
import { signThought } from '../../../simulator/managed-cloud-models/thinking.ts';
import { type Frame, framesOf, inference, type Json, type Posted, postConverse, valid } from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

async function streamed(change: object = {}): Promise<Posted> {
  const response = await postConverse(simulator, { ...valid, ...change }, { stream: true });
  expect(response.status).toBe(200);
  return response;
}

const typeOf = ({ headers }: Frame) => headers[0]?.[1];
const payloadOf = ({ payload }: Frame) => JSON.parse(payload) as Json;
/** The type and payload of each event, without the padding. */
const eventsOf = (frames: readonly Frame[]): readonly (readonly [string | undefined, Json])[] =>
  frames.map((frame) => {
    const { p: _padding, ...payload } = payloadOf(frame);
    return [typeOf(frame), payload];
  });
const transcript = (name: string) => readFile(new URL(`../../transcripts/${name}.bin`, import.meta.url)).then(framesOf);

const kettle = {
  reasoning: 'Kettle.',
  text: 'Ready.',
  toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }],
  usage: {
    inputTokens: 20,
    outputTokens: 57,
    totalTokens: 577,
    cacheReadInputTokens: 400,
    cacheWriteInputTokens: 100,
  },
};

describe('a stream of the managed cloud models', () => {
  it('has the vendor’s content type', async () => {
    expect((await streamed()).headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
  });

  it('has the vendor’s events, in the same order and shape', async () => {
    simulator.script(kettle);
    const shapes = (frames: readonly Frame[]) =>
      frames.map((frame) => [
        frame.headers,
        Object.keys(payloadOf(frame)).sort(),
        keysOf(payloadOf(frame).delta ?? payloadOf(frame).start),
      ]);
    const ours = (await streamed()).frames();
    expect(shapes(ours)).toEqual(shapes(await transcript('managed-cloud-models')));
  });

  it('has exactly these bytes', async () => {
    simulator.script(kettle);
    const { bytes } = await streamed();
    const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const p = (count: number) => alphabet.slice(0, ((count * 23) % 62) + 1);
    const events: readonly (readonly [string, object])[] = [
      ['messageStart', { p: p(1), role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Kettle.' } }, p: p(2) }],
      [
        'contentBlockDelta',
        { contentBlockIndex: 0, delta: { reasoningContent: { signature: signThought('Kettle.') } }, p: p(3) },
      ],
      ['contentBlockStop', { contentBlockIndex: 0, p: p(4) }],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Ready.' }, p: p(5) }],
      ['contentBlockStop', { contentBlockIndex: 1, p: p(6) }],
      [
        'contentBlockStart',
        {
          contentBlockIndex: 2,
          p: p(7),
          start: { toolUse: { name: 'boil', toolUseId: 'tooluse_simulated_1_1' } },
        },
      ],
      ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"cup' } }, p: p(8) }],
      ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: 's":2}' } }, p: p(9) }],
      ['contentBlockStop', { contentBlockIndex: 2, p: p(10) }],
      ['messageStop', { p: p(11), stopReason: 'tool_use' }],
      ['metadata', { metrics: { latencyMs: 1 }, p: p(12), usage: kettle.usage }],
    ];
    const frames = events.map(([type, payload]) => eventFrame(type, JSON.stringify(payload)));
    expect(bytes.equals(Buffer.concat(frames))).toBe(true);
  });

  it('has events padded with text of varying length', async () => {
    const lengths = (await streamed()).frames().map((frame) => String(payloadOf(frame).p).length);
    expect(new Set(lengths).size).toBeGreaterThan(10);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
  });

  it('contains the same text and usage as the response without streaming', async () => {
    const whole = (await postConverse(simulator, valid)).json();
    const events = eventsOf((await streamed()).frames());
    const text = events.flatMap(([type, { delta }]) => (type === 'contentBlockDelta' ? [(delta as Json).text] : []));
    expect(whole).toMatchObject({ output: { message: { content: [{ text: text.join('') }] } } });
    expect(events.at(-1)).toEqual(['metadata', { metrics: { latencyMs: 1 }, usage: whole.usage }]);
  });

  it('reports the stop sequence on request, below the delta', async () => {
    const request = {
      ...inference({ stopSequences: [' simulated'] }),
      additionalModelResponseFieldPaths: ['/delta/stop_sequence', '/stop_sequence'],
    };
    expect(eventsOf((await streamed(request)).frames()).at(-2)).toEqual([
      'messageStop',
      {
        stopReason: 'stop_sequence',
        additionalModelResponseFields: { delta: { stop_sequence: ' simulated' } },
      },
    ]);
  });

  it('starts no block except for a call, and sends no input delta for a call without input', async () => {
    simulator.script({
      toolCalls: [
        { name: 'boil', arguments: '' },
        { name: 'stir', arguments: '{}' },
      ],
    });
    const events = eventsOf((await streamed()).frames());
    expect(events.map(([type]) => type)).toEqual([
      'messageStart',
      'contentBlockStart',
      'contentBlockStop',
      'contentBlockStart',
      'contentBlockDelta',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
    ]);
  });

  it('contains redacted thoughts and citations in deltas of their own', async () => {
    simulator.script({
      reasoning: 'x',
      reasoningRedacted: true,
      text: 'Boil.',
      citations: [{ uri: 'https://tea.example' }],
    });
    const deltas = eventsOf((await streamed()).frames()).flatMap(([, { delta }]) =>
      delta === undefined ? [] : [delta],
    );
    expect(deltas).toEqual([
      { reasoningContent: { redactedContent: expect.any(String) } },
      { text: 'Boil.' },
      { citation: { source: 'https://tea.example', location: { web: { url: 'https://tea.example' } } } },
    ]);
  });

  it('has no usage when a test removes it', async () => {
    simulator.script({ usage: null });
    expect(eventsOf((await streamed()).frames()).at(-1)).toEqual(['metadata', { metrics: { latencyMs: 1 } }]);
  });
});

describe('a failing stream of the managed cloud models', () => {
  it('ends in an exception, like the vendor’s', async () => {
    simulator.script({
      ...kettle,
      errorAfterEvents: 5,
      error: { type: 'ThrottlingException', message: 'Too many requests' },
    });
    const frames = (await streamed()).frames();
    const theirs = await transcript('managed-cloud-models-throttled');
    expect(frames.map(({ headers }) => headers)).toEqual(theirs.map(({ headers }) => headers));
    expect(frames.at(-1)?.bytes.equals(theirs.at(-1)?.bytes ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    'internalServerException',
    'modelStreamErrorException',
    'serviceUnavailableException',
    'throttlingException',
    'validationException',
  ])('ends in %s', async (type) => {
    simulator.script({ errorAfterEvents: 0, error: { type } });
    const [only, ...others] = (await streamed()).frames();
    expect(others).toEqual([]);
    expect(only?.headers).toEqual([
      [':exception-type', type],
      [':content-type', 'application/json'],
      [':message-type', 'exception'],
    ]);
    expect(JSON.parse(only?.payload ?? '')).toEqual({ message: expect.any(String) });
  });

  it('can end in an error outside the API', async () => {
    simulator.script({ errorAfterEvents: 1, error: { code: 'InternalFailure', message: 'gone' } });
    expect((await streamed()).frames().at(-1)).toMatchObject({
      headers: [
        [':error-code', 'InternalFailure'],
        [':error-message', 'gone'],
        [':message-type', 'error'],
      ],
      payload: '',
    });
  });

  it('contains the model’s original error', async () => {
    const error = {
      type: 'ModelStreamErrorException',
      originalStatusCode: '500',
      originalMessage: 'out of memory',
    };
    simulator.script({ errorAfterEvents: 1, error });
    expect(payloadOf((await streamed()).frames().at(-1) as Frame)).toMatchObject({
      originalStatusCode: 500,
      originalMessage: 'out of memory',
    });
  });

  it('can contain any bytes: frames with a wrong checksum, or half a frame', async () => {
    const whole = eventFrame('messageStart', '{"p":"a","role":"assistant"}');
    const broken = Buffer.from(whole);
    broken.writeUInt8(broken.readUInt8(20) ^ 1, 20);
    simulator.script({ bodyBase64: Buffer.concat([whole, broken]).toString('base64') });
    const response = await streamed();
    expect(() => response.frames()).toThrow('checksum of the frame');
    simulator.script({ bodyBase64: whole.subarray(0, 40).toString('base64'), pieceBytes: [7] });
    expect((await streamed()).bytes).toHaveLength(40);
  });
});

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([key, inner]) => [key, ...keysOf(inner)])
    .sort();
}
