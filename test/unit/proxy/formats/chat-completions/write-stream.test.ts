import { describe, expect, it } from 'vitest';
import { type ChunkOptions, ChunkWriter } from '../../../../../proxy/formats/chat-completions/write-stream.ts';

const usage = {
  promptTokens: 10,
  completionTokens: 5,
  cacheReadTokens: 4,
  cacheWriteTokens: 3,
  cacheWrite1hTokens: 0,
  reasoningTokens: 2,
};
const identity = { id: 'x', created: 1, model: 'm"n' };

function written(write: (chunks: ChunkWriter) => void, options: Partial<ChunkOptions> = {}) {
  const chunks = new ChunkWriter({ includeUsage: false, asFunctions: false, ...options });
  write(chunks);
  const events = chunks.take().toString().split('\n\n');
  expect(events.pop()).toBe('');
  return events.map((event) => (event === 'data: [DONE]' ? event : JSON.parse(event.slice('data: '.length))));
}

const choicesOf = (events: ReturnType<typeof written>) => events.map(({ choices }) => choices[0]);
const deltasOf = (events: ReturnType<typeof written>) => choicesOf(events).map(({ delta }) => delta);

describe('chunks that the gateway writes', () => {
  it('contain the identity of the stream and begin with the role', () => {
    const [first] = written((chunks) => chunks.start(identity));
    expect(first).toEqual({
      ...identity,
      object: 'chat.completion.chunk',
      system_fingerprint: null,
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
    });
  });

  it('contain each text as it arrives, and no empty texts', () => {
    const events = written((chunks) => {
      chunks.start(identity);
      chunks.content('a');
      chunks.content('');
      chunks.reasoning('r');
      chunks.reasoning('');
      chunks.extra({ annotations: [] });
    });
    expect(deltasOf(events).slice(1)).toEqual([{ content: 'a' }, { reasoning_content: 'r' }, { annotations: [] }]);
  });

  it('contain a call’s id and name before its arguments, and number the calls', () => {
    const events = written((chunks) => {
      chunks.start(identity);
      const first = chunks.call('c1', 'boil');
      chunks.callArguments(first, '{"a"');
      chunks.callArguments(first, '');
      const second = chunks.call('c2', 'stir', '{}');
      expect([first, second, chunks.calls]).toEqual([0, 1, 2]);
    });
    expect(deltasOf(events).slice(1)).toEqual([
      { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'boil', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'stir', arguments: '{}' } }] },
    ]);
  });

  it('contain only the first call in the deprecated form', () => {
    const events = written(
      (chunks) => {
        chunks.start(identity);
        chunks.callArguments(chunks.call('c1', 'boil'), '{}');
        chunks.callArguments(chunks.call('c2', 'stir'), '{}');
        chunks.finish({ reason: 'tool_calls', native: 'tool_use' });
      },
      { asFunctions: true },
    );
    expect(deltasOf(events).slice(1)).toEqual([
      { function_call: { name: 'boil', arguments: '' } },
      { function_call: { arguments: '{}' } },
      {},
    ]);
    expect(choicesOf(events).at(-1)).toMatchObject({
      finish_reason: 'function_call',
      native_finish_reason: 'tool_use',
    });
  });

  it('contain the finish reason, with further fields at the top', () => {
    const [plain, more] = written((chunks) => {
      chunks.start(identity);
      chunks.take();
      chunks.finish({ reason: 'length', native: 'length' });
      chunks.finish({ reason: 'stop', native: 'STOP' }, { cloud_ai: ['x'] }, 1);
    });
    expect(plain.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'length' }]);
    expect(more).toMatchObject({
      ...identity,
      cloud_ai: ['x'],
      choices: [{ index: 1, finish_reason: 'stop' }],
    });
  });

  it('trap 19: contain the usage only when it was requested, and end the stream', () => {
    const end = (chunks: ChunkWriter) => {
      chunks.start(identity);
      chunks.take();
      chunks.end(usage, { extra_tokens: 1 });
    };
    expect(written(end)).toEqual(['data: [DONE]']);
    const [parsed, done] = written(end, { includeUsage: true });
    expect(parsed).toMatchObject({
      ...identity,
      choices: [],
      usage: { prompt_tokens: 10, total_tokens: 15, extra_tokens: 1 },
    });
    expect(done).toBe('data: [DONE]');
  });

  it('are returned once', () => {
    const chunks = new ChunkWriter({ includeUsage: false, asFunctions: false });
    expect(chunks.started).toBe(false);
    chunks.start(identity, 2);
    expect(chunks.started).toBe(true);
    expect(
      chunks
        .take()
        .toString()
        .match(/"role"/g),
    ).toHaveLength(2);
    expect(chunks.take()).toHaveLength(0);
  });
});
