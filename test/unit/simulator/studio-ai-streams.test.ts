import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, clean, events, type JsonResponse, messages, responseTo, studio, textOf } from './post-studio.ts';
import { shapes, transcript } from './shapes.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());
const { dated, v1 } = studio(() => simulator);

const withUsage = { stream: true, stream_options: { include_usage: true } };

describe('streams of GPT models in the studio', () => {
  /** Removes the filter's results and the usage, which the transcript shortens. */
  function shortened(list: readonly JsonResponse[]): readonly object[] {
    return list.map(({ choices, usage, ...rest }) => ({
      ...rest,
      choices: choices.map(({ content_filter_results: results, ...choice }) => ({
        ...choice,
        content_filter_results: Object.keys(results ?? {}).length > 0,
      })),
      usage: usage && Object.keys(usage).filter((key) => !key.endsWith('_details')),
    }));
  }

  it('have the shape of the service’s streams, event by event', async () => {
    simulator.script({ text: 'Tea' });
    const ours = await events(dated('gpt-4o', { messages, ...withUsage }));
    const theirs = (await transcript('studio-ai.sse')) as unknown as readonly JsonResponse[];
    expect(shapes(shortened(ours))).toEqual(shapes(shortened(theirs)));
    expect(shortened(ours)[0]).toEqual(shortened(theirs)[0]);
  });

  it('begin with the filter’s results for the prompt, without id, time and model', async () => {
    const [first, second] = await events(v1({ stream: true }));
    expect(first).toEqual({
      id: '',
      object: '',
      created: 0,
      model: '',
      choices: [],
      prompt_filter_results: [
        {
          prompt_index: 0,
          content_filter_results: { ...clean, jailbreak: { filtered: false, detected: false } },
        },
      ],
    });
    expect(second).toMatchObject({ model: 'gpt-4o-2024-11-20', choices: [{ delta: { role: 'assistant' } }] });
  });

  it('have filter results only in events with text', async () => {
    const list = await events(dated('gpt-4o', { messages, stream: true }));
    for (const { choices } of list) {
      for (const { delta, content_filter_results } of choices) {
        expect(content_filter_results).toEqual(delta?.content ? clean : {});
      }
    }
  });

  it('report usage only when requested, in the last event', async () => {
    expect((await events(v1({ stream: true }))).some((event) => 'usage' in event)).toBe(false);
    const list = await events(v1(withUsage));
    expect(list.filter((event) => 'usage' in event)).toEqual([list.at(-1)]);
    expect(list.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it('contain the same text and usage as the response without streaming', async () => {
    const whole = await responseTo(v1({}));
    const list = await events(v1(withUsage));
    expect(textOf(list)).toBe(whole.choices[0]?.message.content);
    expect(list.at(-1)?.usage).toEqual(whole.usage);
  });

  it('contain tool calls piece by piece', async () => {
    const list = await events(v1({ stream: true, tools: [boil], tool_choice: 'required' }));
    expect(list.slice(1).map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: null },
      {
        tool_calls: [{ index: 0, id: 'call_simulated_1', type: 'function', function: { name: 'boil', arguments: '' } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"cup' } }] },
      { tool_calls: [{ index: 0, function: { arguments: 's":0}' } }] },
      {},
    ]);
    expect(list.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('end with the filter’s finish reason when scripted', async () => {
    simulator.script({ text: 'Tea', finishReason: 'content_filter' });
    const list = await events(v1({ stream: true }));
    expect(list.at(-1)?.choices[0]).toMatchObject({
      finish_reason: 'content_filter',
      content_filter_results: { violence: { filtered: true, severity: 'medium' } },
    });
  });

  it('break off with an error event and without [DONE] when scripted', async () => {
    simulator.script({ tokens: 10, errorAfterEvents: 2 });
    const frames = (await v1({ stream: true })).text.trimEnd().split('\n\n');
    expect(frames).toHaveLength(3);
    expect(JSON.parse(frames[2]?.slice(6) ?? '')).toEqual({
      error: { code: 'InternalServerError', message: expect.any(String) },
    });
  });
});

describe('an asynchronous content filter', () => {
  const request = (change: object = {}) => events(v1({ model: 'gpt-4o-async-filter', stream: true, ...change }));

  it('reports its results in frames without a delta, the last one after everything else', async () => {
    const list = await request(withUsage);
    const annotations = list.filter(({ choices }) => choices.some((choice) => choice.delta === undefined));
    expect(annotations.length).toBeGreaterThan(1);
    expect(annotations.at(-1)).toBe(list.at(-1));
    expect(list.at(-2)).toHaveProperty('usage');
    expect(annotations[0]).toEqual({
      id: '',
      object: '',
      created: 0,
      model: '',
      choices: [
        {
          index: 0,
          finish_reason: null,
          content_filter_results: clean,
          content_filter_offsets: { check_offset: 5, start_offset: 5, end_offset: expect.any(Number) },
        },
      ],
    });
  });

  it('covers every character and never goes back', async () => {
    const list = await request();
    const offsets = list.flatMap(({ choices }) => choices[0]?.content_filter_offsets ?? []);
    expect(offsets.slice(1).map((one) => one.start_offset)).toEqual(offsets.slice(0, -1).map((one) => one.end_offset));
    expect(offsets.at(-1)?.end_offset).toBe('hello'.length + textOf(list).length);
  });

  it('reports no results in frames with text', async () => {
    const texts = (await request()).filter(({ choices }) => choices[0]?.delta !== undefined);
    expect(texts.some(({ choices }) => choices[0]?.content_filter_results !== undefined)).toBe(false);
  });

  it('stops a stream after the bad text was sent, in a frame without a delta', async () => {
    simulator.script({ text: 'Tea', finishReason: 'content_filter' });
    const last = (await request()).at(-1);
    expect(last).toMatchObject({ id: '', choices: [{ finish_reason: 'content_filter' }] });
    expect(last?.choices[0]).not.toHaveProperty('delta');
  });

  it('reports on several choices', async () => {
    const list = await request({ n: 2 });
    expect(list.at(-1)?.choices.map(({ index }) => index)).toEqual([0, 1]);
  });
});
