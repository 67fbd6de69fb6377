import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import {
  blocked,
  chunkHead,
  chunkOf,
  deltasOf,
  eventOf,
  finishOf,
  fullWindow,
  guarded,
  guardOf,
  marked,
  receive,
  responseGuards,
  responseTo,
} from '../../../../support/guarded-streams.ts';

const secret = marked('<', '>', 'SECRET');
const role = chunkOf({ role: 'assistant', content: '', refusal: null });
const redacting = responseGuards([guardOf(secret, 'redact')]);
const blocking = responseGuards([guardOf(secret, 'block')]);

describe('text of a guarded stream', () => {
  it('is sent in order with its matches replaced, however it is cut', async () => {
    const pieces = ['Call ', '<01', '23', '45> or', ' <9>', '.'];
    const received = await responseTo(redacting, [
      role,
      ...pieces.map((content) => chunkOf({ content })),
      finishOf('stop'),
    ]);
    expect(received.text()).toBe('Call [SECRET] or [SECRET].');
    expect(received.events.at(-1)).toBe('data: [DONE]');
    expect(received.hasEnded).toBe(true);
  });

  it('is sent at once, with the original bytes, when none of it is withheld', async () => {
    const { source, result } = guarded(redacting);
    source.say(role, chunkOf({ content: 'Hello' }, { index: 0 }));
    const received = receive(await result);
    const odd = `data: {"id":"x" , "choices":[{"index":0,"delta":{"content":" there"}}]}\n\n`;
    source.say(odd);
    expect(received.events.at(-1)).toBe(odd.trimEnd());
  });

  it('has a separate window for each field and choice', async () => {
    const received = await responseTo(redacting, [
      chunkOf({ role: 'assistant', reasoning_content: 'a <' }),
      chunkOf({ role: 'assistant', content: 'b <' }, { index: 1 }),
      chunkOf({ content: 'c <' }),
      chunkOf({ reasoning_content: '1>' }),
      chunkOf({ content: '2>' }, { index: 1 }),
      chunkOf({ content: '3', refusal: 'no' }),
      finishOf('stop', 1),
      finishOf('stop'),
    ]);
    expect(received.text('reasoning_content')).toBe('a [SECRET]');
    expect(received.text('content', 1)).toBe('b [SECRET]');
    expect(received.text('content')).toBe('c <3');
    expect(received.text('refusal')).toBe('no');
  });

  it('in lists of parts is one text for each part', async () => {
    const detail = (text: string, index = 0) =>
      chunkOf({ reasoning_details: [{ type: 'reasoning.text', index, text }] });
    const received = await responseTo(redacting, [
      detail('a <'),
      detail('b', 1),
      detail('1>'),
      chunkOf({ audio: { id: 'a', transcript: 'c <' } }),
      chunkOf({ audio: { transcript: '2' } }),
      chunkOf({ content: [{ type: 'text', text: 'd <' }] }),
      chunkOf({ content: [{ type: 'text', text: '3>' }] }),
      finishOf('stop'),
    ]);
    const deltas = deltasOf(received.chunks);
    const details = deltas.flatMap(
      ({ reasoning_details }) => (reasoning_details ?? []) as { index: number; type: string; text: string }[],
    );
    const first = details.filter(({ index }) => index === 0);
    expect(first.map(({ text }) => text).join('')).toBe('a [SECRET]');
    expect(details.every(({ type }) => type === 'reasoning.text')).toBe(true);
    const audio = deltas.map((delta) => (delta.audio ?? {}) as { transcript?: string });
    expect(audio.map(({ transcript = '' }) => transcript).join('')).toBe('c <2');
    const parts = deltas.flatMap(({ content }) => (content ?? []) as { text: string }[]);
    expect(parts.map(({ text }) => text).join('')).toBe('d [SECRET]');
  });

  it('that is withheld when the stream ends is sent before the end marker', async () => {
    const received = await responseTo(responseGuards([guardOf(fullWindow(secret), 'redact')]), [
      role,
      chunkOf({ content: 'Hello <1>' }),
      finishOf('stop'),
    ]);
    expect(deltasOf(received.chunks)).toEqual([{ role: 'assistant', content: 'Hello [SECRET]', refusal: null }, {}]);
  });

  it('continues after a finish reason, as some servers send it', async () => {
    const received = await responseTo(redacting, [
      chunkOf({ content: '<' }, { finish_reason: 'stop' }),
      chunkOf({ content: '1>' }, { finish_reason: 'stop' }),
    ]);
    expect(received.text()).toBe('[SECRET]');
    const finishes = received.chunks.flatMap(({ choices }) => choices as { finish_reason: unknown }[]);
    expect(finishes.map(({ finish_reason }) => finish_reason)).toEqual([null, 'stop']);
  });
});

describe('other fields of a guarded stream', () => {
  it('wait for the text before them, and usage waits for all text', async () => {
    const note = { annotations: [{ type: 'url_citation', url_citation: { title: 'about <2>' } }] };
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const received = await responseTo(responseGuards([guardOf(fullWindow(secret), 'redact')]), [
      role,
      chunkOf({ content: 'Hello' }),
      chunkOf(note),
      chunkOf({ content: ' there' }),
      finishOf('stop'),
      { ...chunkHead, choices: [], usage },
    ]);
    const [text, noted, finish, last] = received.chunks;
    expect(deltasOf([text ?? {}])).toMatchObject([{ content: 'Hello there' }]);
    expect(JSON.stringify(noted)).toContain('about [SECRET]');
    expect(finish).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(last).toMatchObject({ choices: [], usage });
  });

  it('do not reveal replaced text: logprobs are removed', async () => {
    const logprobs = { content: [{ token: '<1>', bytes: [60], logprob: 0, top_logprobs: [] }] };
    const received = await responseTo(redacting, [chunkOf({ content: 'Hi <1>' }, { logprobs }), finishOf('stop')]);
    expect(received.bytes).not.toContain('<1>');
    expect(received.bytes).toContain('"logprobs":null');
  });

  it('comments are sent without their text', async () => {
    const { source, result } = guarded(redacting);
    source.say(': <1>\n\n', role, chunkOf({ content: 'Hi' }), ': <2>\n\n');
    const received = receive(await result);
    expect(received.events).toHaveLength(2);
    expect(received.events.at(-1)).toBe(':');
  });

  const filters = { prompt_filter_results: [{ prompt_index: 0 }] };

  it('of a chunk without choices pass where they came, and not before the first text', async () => {
    const { source, result, isHandedOver } = guarded(redacting);
    source.say({ ...chunkHead, choices: [], ...filters });
    expect(await isHandedOver()).toBe(false);
    source.say(role, chunkOf({ content: 'Hi' }), finishOf('stop'));
    source.end();
    const received = receive(await result);
    await received.over;
    const [first, ...others] = received.chunks;
    expect(first).toMatchObject({ choices: [], ...filters });
    expect(others.map((chunk) => 'usage' in chunk || 'prompt_filter_results' in chunk)).toEqual([false, false]);
  });

  it('of several chunks with usage are all sent, with the last usage', async () => {
    const usage = (tokens: number) => ({ prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 });
    const received = await responseTo(redacting, [
      ...[role, chunkOf({ content: 'Hi' }), finishOf('stop')],
      { ...chunkHead, choices: [], usage: usage(1), ...filters, mood: 'calm' },
      { ...chunkHead, choices: [], usage: usage(2), content_filter_results: {}, cost: { usd: 1 }, why: 'so' },
    ]);
    expect(received.chunks.at(-1)).toMatchObject({
      ...{ choices: [], usage: usage(2), ...filters, mood: 'calm', cost: { usd: 1 }, why: 'so' },
    });
    expect(received.chunks.filter((chunk) => 'usage' in chunk)).toHaveLength(1);
  });

  it('have no chunk of their own for usage if there is none', async () => {
    const received = await responseTo(redacting, [role, chunkOf({ content: 'Hi' })]);
    expect(received.chunks).toHaveLength(1);
  });

  it('usage is sent once when all chunks repeat it', async () => {
    const usage = (tokens: number) => ({
      prompt_tokens: 1,
      completion_tokens: tokens,
      total_tokens: tokens + 1,
    });
    const received = await responseTo(redacting, [
      { ...chunkOf({ role: 'assistant', content: 'a' }), usage: usage(1) },
      { ...chunkOf({ role: 'assistant', content: 'b' }), usage: usage(2) },
      { ...finishOf('stop'), usage: usage(3) },
    ]);
    expect(received.chunks.map((chunk) => chunk.usage)).toEqual([undefined, undefined, usage(3)]);
  });
});

describe('a block in a stream', () => {
  it('before anything was sent becomes a refusal, and the provider’s response is cancelled', async () => {
    const { source, result } = guarded(blocking);
    source.say(': hello\n\n', role, chunkOf({ content: '<' }), chunkOf({ content: '1' }));
    source.say(chunkOf({ content: '>' }));
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(source.aborted).toMatchObject({ code: 'guardrail_blocked' });
  });

  it('after text was sent ends the stream with a failure, after the text that was decided', async () => {
    const { source, result } = guarded(blocking);
    source.say(role, chunkOf({ content: 'Hi <' }));
    const received = receive(await result);
    source.write(Buffer.from(eventOf(chunkOf({ content: '1>' })) + eventOf(finishOf('stop'))));
    source.end();
    await received.over;
    expect(received.text()).toBe('Hi ');
    expect(received.failure).toEqual(blocked());
    expect(received.hasEnded).toBe(false);
    expect(received.bytes).not.toContain('[DONE]');
  });

  it('at the end of a short response is still a refusal', async () => {
    const { source, result } = guarded(responseGuards([guardOf(fullWindow(secret), 'block')]));
    source.say(role, chunkOf({ content: 'Hi <1> there' }), finishOf('stop'));
    source.end();
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  it('replaces a redaction in a transcript, because the sound contains the match too', async () => {
    const { source, result } = guarded(redacting);
    source.say(chunkOf({ audio: { id: 'a', transcript: 'say <1' } }), chunkOf({ audio: { transcript: '>' } }));
    const received = receive(await result);
    expect(received.failure).toEqual(blocked());
  });
});

describe('guardrails that only observe', () => {
  it('pass a stream unchanged and find its matches', async () => {
    const found: string[] = [];
    const guards = responseGuards([guardOf(secret, 'observe', (label) => void found.push(label))]);
    const { source, result } = guarded(guards);
    const parsed = [': hello\n\n', eventOf(role), eventOf(chunkOf({ content: '<1' })), 'data: no json\n\n'];
    source.say(parsed[0] ?? '');
    const received = receive(await result);
    source.say(...parsed.slice(1), chunkOf({ content: '>' }));
    expect(found).toEqual(['SECRET']);
    source.end();
    expect(received.bytes).toBe(`${parsed.join('')}${eventOf(chunkOf({ content: '>' }))}data: [DONE]\n\n`);
    expect(received.hasEnded).toBe(true);
  });
});

describe('interleaved tool calls', () => {
  it('pass when guardrails only observe', async () => {
    const piece = (index: number) => chunkOf({ tool_calls: [{ index, function: { arguments: '{}' } }] });
    const parsed = [piece(0), piece(1), piece(0)];
    const received = await responseTo(responseGuards([guardOf(secret, 'observe')]), parsed);
    expect(received.bytes).toBe(`${parsed.map(eventOf).join('')}data: [DONE]\n\n`);
  });
});

describe('unknown fields of a stream', () => {
  it('are inspected at every depth', async () => {
    const odd = [
      { ...chunkOf({ role: '<1>', content: 'a' }), note: ['<2>'] },
      chunkOf({ mood: { is: '<3>' } }, { why: '<4>' }),
      { ...finishOf('<5>'), last: '<6>' },
    ];
    const received = await responseTo(redacting, odd);
    expect(received.bytes).not.toMatch(/<\d>/);
    expect(received.bytes.match(/\[SECRET\]/g)).toHaveLength(6);
  });

  it('nested too deep for inspection are blocked by the failure rule', async () => {
    const deep = `${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}`;
    const { source, result } = guarded(redacting);
    source.say(`data: {"choices":[{"index":0,"delta":{"mood":${deep}}}]}\n\n`);
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  const nested = (depth: number): JsonObject => (depth === 0 ? { a: 'text' } : { a: nested(depth - 1) });
  const deepFields: readonly (readonly [string, JsonObject])[] = [
    ['an unknown field of a delta', chunkOf({ mood: nested(1500) })],
    ['an unknown field of a choice', chunkOf({}, { mood: nested(1500) })],
    ['an unknown field of a chunk', { ...chunkOf({}), mood: nested(1500) }],
    ['a known field of a delta', chunkOf({ annotations: [nested(1500)] })],
    ['a call', chunkOf({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' }, extra: nested(1500) }] })],
  ];
  it.each(deepFields)(
    '%s that is nested too deep passes unchanged by the other failure rule alone',
    async (_, chunk) => {
      const blocks = responseTo(redacting, [role, chunk, finishOf('stop')]);
      await expect(blocks).rejects.toMatchObject({ code: 'guardrail_blocked' });
      let applied = 0;
      const passing = responseGuards([guardOf(secret, 'redact')], { tooLong: () => void applied++ });
      const { bytes } = await responseTo(passing, [role, chunk, finishOf('stop')]);
      expect(bytes).toContain(JSON.stringify(nested(1500)));
      expect(applied).toBe(1);
    },
  );
});

describe('a guarded stream', () => {
  it('is handed over with the first bytes that may be sent', async () => {
    const { source, isHandedOver } = guarded(redacting);
    source.say(': hello\n\n', role, chunkOf({ content: '' }), chunkOf({ content: '<1' }));
    expect(await isHandedOver()).toBe(false);
    source.say(chunkOf({ content: '>' }));
    expect(await isHandedOver()).toBe(true);
  });

  it('pauses the provider for a slow reader', async () => {
    const { source, result } = guarded(redacting);
    source.say(role, chunkOf({ content: 'Hi' }));
    const stream = await result;
    stream.pause();
    expect(source.isPaused).toBe(true);
    stream.resume();
    expect(source.isPaused).toBe(false);
  });

  it('fails when the provider fails before it is handed over', async () => {
    const { source, result } = guarded(redacting);
    source.say(role);
    source.fail(new Error('cut'));
    await expect(result).rejects.toThrow('cut');
  });

  it('fails when the provider fails afterwards, and undecided text is not sent', async () => {
    const { source, result } = guarded(redacting);
    source.say(role, chunkOf({ content: 'Hi <1' }));
    const received = receive(await result);
    source.fail(new Error('cut'));
    expect(received.failure?.message).toBe('cut');
    expect(received.text()).toBe('Hi ');
  });

  it('cancels the provider when it is aborted from outside', async () => {
    const { source, result, abort } = guarded(redacting);
    source.say(role);
    abort(new Error('left'));
    await expect(result).rejects.toThrow('left');
    expect(source.aborted?.message).toBe('left');
  });

  it('fails with a protocol error at an event that is no JSON', async () => {
    const { source, result } = guarded(redacting);
    source.say('data: <1>\n\n');
    await expect(result).rejects.toMatchObject({ code: 'upstream_protocol_error' });
  });
});
