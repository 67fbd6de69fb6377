import { describe, expect, it } from 'vitest';
import {
  chunkOf,
  deltasOf,
  finishOf,
  guarded,
  guardOf,
  marked,
  receive,
  responseGuards,
  responseTo,
} from '../../../../support/guarded-streams.ts';

const redacting = responseGuards([guardOf(marked('<', '>', 'SECRET'), 'redact')]);
const role = chunkOf({ role: 'assistant', content: '', refusal: null });

describe('tool calls in a guarded stream', () => {
  const piece = (index: number, args: string, fields: object = {}) =>
    chunkOf({
      tool_calls: [{ index, ...fields, function: { ...('id' in fields && { name: 'f' }), arguments: args } }],
    });

  it('are sent as a whole when the next one begins or the stream ends', async () => {
    const { source, result } = guarded(redacting);
    source.say(role, piece(0, '', { id: 'a', type: 'function' }), piece(0, '{"to":"<'), piece(0, '1>"}'));
    source.say(piece(1, '{}', { id: 'b', type: 'function' }));
    const received = receive(await result);
    const first = {
      index: 0,
      id: 'a',
      type: 'function',
      function: { name: 'f', arguments: '{"to":"[SECRET]"}' },
    };
    expect(deltasOf(received.chunks)).toMatchObject([{ role: 'assistant', tool_calls: [first] }]);
    source.say(finishOf('tool_calls'));
    source.end();
    expect(deltasOf(received.chunks)).toMatchObject([{}, { tool_calls: [{ index: 1, id: 'b' }] }, {}]);
  });

  it('in the deprecated form are sent as a whole', async () => {
    const received = await responseTo(redacting, [
      chunkOf({ role: 'assistant', function_call: { name: 'f', arguments: '' } }),
      chunkOf({ function_call: { arguments: '{"a":"<' } }),
      chunkOf({ function_call: { arguments: '1>"}' } }),
      finishOf('function_call'),
    ]);
    const call = { name: 'f', arguments: '{"a":"[SECRET]"}' };
    expect(deltasOf(received.chunks)).toMatchObject([{ function_call: call }, {}]);
  });

  it('that a server sends whole with the same index stay separate', async () => {
    const received = await responseTo(redacting, [
      piece(0, '{"a":1}', { id: 'a', type: 'function' }),
      piece(0, '{"b":2}', { id: 'b', type: 'function' }),
      finishOf('tool_calls'),
    ]);
    const calls = deltasOf(received.chunks).flatMap((delta) => (delta.tool_calls ?? []) as { id: string }[]);
    expect(calls.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('that continue after the next one has begun end the stream, because their sent part cannot be inspected again', async () => {
    const { source, result } = guarded(redacting);
    source.say(piece(0, '{"a":', { id: 'a' }), piece(1, '{}', { id: 'b' }), piece(0, '1}'));
    const received = receive(await result);
    expect(received.failure).toMatchObject({ code: 'upstream_protocol_error' });
    expect(source.aborted).toBe(received.failure);
  });

  it('larger than the buffer are blocked by the failure rule', async () => {
    const { source, result } = guarded(redacting, 100);
    source.say(role, piece(0, `"${'a'.repeat(99)}`, { id: 'a' }));
    expect(source.aborted).toBeUndefined();
    source.say(piece(0, 'b'));
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(source.aborted).toMatchObject({ code: 'guardrail_blocked' });
  });

  it('larger than the buffer pass unchanged when the failure rule is to pass', async () => {
    const { source, result } = guarded({ ...redacting, tooLong: () => undefined }, 100);
    source.say(role, piece(0, `{"a":"<1>${'a'.repeat(99)}`, { id: 'a', type: 'function' }), piece(0, '"}'));
    const received = receive(await result);
    const calls = deltasOf(received.chunks).flatMap(
      (delta) => (delta.tool_calls ?? []) as { function: { arguments: string } }[],
    );
    expect(calls.map((call) => call.function.arguments).join('')).toBe(`{"a":"<1>${'a'.repeat(99)}"}`);
  });

  it('count as buffered while they are withheld', async () => {
    const { source, buffered } = guarded(redacting);
    source.say(
      role,
      chunkOf({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: 'a'.repeat(90) } }] }),
    );
    source.say(chunkOf({ tool_calls: [{ index: 0, function: { arguments: 'a'.repeat(10) } }] }));
    expect(buffered()).toBe(100);
  });
});
