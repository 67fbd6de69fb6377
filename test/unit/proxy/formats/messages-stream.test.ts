// Chunks of chat completions become events of the Messages API, one content block after another, however they are cut.
import { describe, expect, it } from 'vitest';
import { ChunkReader } from '../../../../proxy/formats/chat-completions/read-chunks.ts';
import { MessagesWriter } from '../../../../proxy/formats/messages/write-stream.ts';

interface Event {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: { readonly type: string; readonly name?: string };
  readonly delta?: Record<string, string>;
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
const begun = (index: number, name: string, args = '') =>
  call(index, { id: `call_${name}`, type: 'function', function: { name, arguments: args } });
const more = (index: number, args: string) => call(index, { function: { arguments: args } });
const end = `${chunk({}, 'tool_calls')}data: [DONE]\n\n`;

function eventsOf(
  chunks: string,
  pieceBytes = Number.POSITIVE_INFINITY,
  reader = new ChunkReader(new MessagesWriter()),
): readonly Event[] {
  const bytes = Buffer.from(chunks);
  let text = '';
  for (let at = 0; at < bytes.length; at += Math.min(pieceBytes, bytes.length)) {
    text += reader.push(bytes.subarray(at, at + pieceBytes)).toString();
  }
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      const parsed = JSON.parse(data ?? '') as Event;
      expect(parsed.type).toBe(type);
      return parsed;
    });
}

/** The blocks with their text, in order; each begins and ends once, before the next one begins. */
function blocksOf(events: readonly Event[]): readonly (readonly [string, string])[] {
  const blocks: [string, string][] = [];
  let open = -1;
  for (const { type, index, content_block: block, delta = {} } of events) {
    if (type === 'content_block_start') {
      expect([open, index]).toEqual([-1, blocks.length]);
      open = blocks.length;
      blocks.push([block?.name ?? block?.type ?? '', '']);
    } else if (type === 'content_block_delta') {
      expect(index).toBe(open);
      const last = blocks.at(-1);
      if (last) last[1] += delta.text ?? delta.thinking ?? delta.partial_json ?? `#${delta.signature}`;
    } else if (type === 'content_block_stop') {
      expect(index).toBe(open);
      open = -1;
    }
  }
  expect(open).toBe(-1);
  return blocks;
}

describe('a stream for clients of the Messages API', () => {
  it('begins and ends a message even if the response had nothing but its end', () => {
    const events = eventsOf('data: [DONE]\n\n');
    expect(events.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop']);
    expect(events[1]?.delta).toMatchObject({ stop_reason: 'end_turn' });
  });

  it('has the text of each kind in a block of its own', () => {
    const stream =
      chunk({ role: 'assistant', content: '' }) +
      chunk({ reasoning_content: 'Let ' }) +
      chunk({ reasoning_content: 'me.' }) +
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'sig' }] }) +
      chunk({ content: 'It' }) +
      chunk({ content: ' rains.' }) +
      begun(0, 'umbrella', '{}') +
      end;
    const events = eventsOf(stream);
    expect(blocksOf(events)).toEqual([
      ['thinking', 'Let me.#sig'],
      ['text', 'It rains.'],
      ['umbrella', '{}'],
    ]);
    expect(events.at(-2)?.delta).toEqual({ stop_reason: 'tool_use', stop_sequence: null });
  });

  it('has calls one after another, although their arguments arrive in turns', () => {
    const stream =
      begun(0, 'a') + begun(1, 'b') + more(0, '{"x"') + more(1, '{"y":') + more(0, ':1}') + more(1, '2}') + end;
    expect(blocksOf(eventsOf(stream))).toEqual([
      ['a', '{"x":1}'],
      ['b', '{"y":2}'],
    ]);
  });

  it.each([
    ['without an index', [{ id: 'c1' }, { id: 'c2' }]],
    [
      'all with the same index',
      [
        { index: 0, id: 'c1' },
        { index: 0, id: 'c2' },
      ],
    ],
  ])('has calls that a server sends whole, %s', (_form, fields) => {
    const [first, second] = fields.map((one, at) =>
      chunk({ tool_calls: [{ ...one, function: { name: `f${at}`, arguments: `{"n":${at}}` } }] }),
    );
    expect(blocksOf(eventsOf(`${first}${second}${end}`))).toEqual([
      ['f0', '{"n":0}'],
      ['f1', '{"n":1}'],
    ]);
  });

  it('has one call whose server repeats id and name', () => {
    const again = (args: string) => call(0, { id: 'call_a', function: { name: 'a', arguments: args } });
    expect(blocksOf(eventsOf(begun(0, 'a', '{"x"') + again(':1') + again('}') + end))).toEqual([['a', '{"x":1}']]);
  });

  it('has text that follows a call without arguments as it arrives, before the call', () => {
    const reader = new ChunkReader(new MessagesWriter());
    expect(eventsOf(begun(0, 'now'), undefined, reader)).toHaveLength(1);
    expect(eventsOf(chunk({ content: 'Let ' }), undefined, reader).at(-1)?.delta?.text).toBe('Let ');
    expect(eventsOf(chunk({ content: 'me.' }), undefined, reader).at(-1)?.delta?.text).toBe('me.');
    const stream = begun(0, 'now') + chunk({ content: 'Let ' }) + chunk({ content: 'me.' }) + end;
    expect(blocksOf(eventsOf(stream))).toEqual([
      ['text', 'Let me.'],
      ['now', ''],
    ]);
  });

  it('has calls in their order, although an earlier one has no arguments until the end', () => {
    const stream = begun(0, 'a') + begun(1, 'b', '{"y":2}') + chunk({ content: 'So.' });
    expect(blocksOf(eventsOf(stream + end))).toEqual([
      ['text', 'So.'],
      ['a', ''],
      ['b', '{"y":2}'],
    ]);
    expect(blocksOf(eventsOf(stream + more(0, '{"x":1}') + end))).toEqual([
      ['text', 'So.'],
      ['a', '{"x":1}'],
      ['b', '{"y":2}'],
    ]);
  });

  it('has a refusal as it arrives, and under guardrails at the end, behind the text', () => {
    const pieces = [chunk({ refusal: 'I ' }), chunk({ refusal: 'cannot.' }), chunk({ content: 'Sorry. ' }), end];
    const written = (isGuarded: boolean) => {
      const reader = new ChunkReader(new MessagesWriter(), { isGuarded });
      return pieces.map((piece) =>
        eventsOf(piece, undefined, reader)
          .map(({ delta }) => delta?.text ?? '')
          .join(''),
      );
    };
    expect(written(false)).toEqual(['I ', 'cannot.', 'Sorry. ', '']);
    expect(written(true)).toEqual(['', '', 'Sorry. ', 'I cannot.']);
  });

  it('has no end if the response failed, which the format cannot say', () => {
    const reader = new ChunkReader(new MessagesWriter(), { lacksFailures: true });
    const events = eventsOf(`${chunk({ content: 'Tea' }) + chunk({}, 'error')}data: [DONE]\n\n`, undefined, reader);
    expect(events.map(({ type }) => type)).not.toContain('message_delta');
    expect(reader.failed).toMatchObject({ reason: 'error' });
  });

  it('is the same however the chunks are cut', () => {
    const stream = chunk({ content: 'naïve €' }) + begun(0, 'a', '{"x":') + more(0, '"ü"}') + end;
    const whole = eventsOf(stream);
    for (let size = 1; size < 60; size++) expect(eventsOf(stream, size)).toEqual(whole);
  });

  it('ends without an end if the chunks do', () => {
    expect(eventsOf(chunk({ content: 'cut' })).map(({ type }) => type)).not.toContain('message_stop');
  });
});
