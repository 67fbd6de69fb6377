// Random responses, as chat completions, in each client's format: the stream folded by the official SDK is the whole
// response, both contain what was there, and wherever the stream is cut the client's bytes are the same or have no end.
import { describe, expect, it } from 'vitest';
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { messageOf } from '../../proxy/formats/chat-completions/read-message.ts';
import { Random } from '../support/access/random.ts';
import { type Folded, folds, readable } from '../support/client-folds.ts';
import { type ClientKind, clientKinds, clientRequestOf, elapsedMs, rewriteFor } from '../support/client-streams.ts';
import { roundsOf, sharedPositionsOf, startingSeed } from '../support/seed.ts';

const texts = ['Hello', 'Grüße 🫖', 'a\\n"\\\\', '\n\n', ' ', '{"a":1}', 'data: [DONE]\n\n', '日本語', '👩‍👩‍👧‍👦'];
const inputs = ['{}', '{"n":12345678901234567890}', '{"a":"x\\ny","ü":[1,{"b":null}]}', '{"s":"\\u0000\\""}'];

interface Reply {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly finish: string;
}

function randomReply(random: Random): Reply {
  const some = () => Array.from({ length: random.below(4) }, () => random.pick(texts)).join('');
  const calls = Array.from({ length: random.below(4) }, (_, at) => ({
    id: `call_${at}`,
    name: random.pick(['weather', 'time']),
    args: random.pick(inputs),
  }));
  const finish = calls.length > 0 ? 'tool_calls' : random.pick(['stop', 'length', 'content_filter']);
  return { reasoning: some(), content: some(), calls, finish };
}

const identity = { id: 'chatcmpl-1', created: 1_795_176_000, model: 'm' };
const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

function wholeOf({ reasoning, content, calls, finish }: Reply): JsonObject {
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })),
  };
  return { ...identity, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage };
}

/** Its texts and arguments in random pieces. */
function chunksOf({ reasoning, content, calls, finish }: Reply, random: Random): Buffer {
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }];
  const pieces = (text: string) => {
    const all = Array.from(text);
    const list: string[] = [];
    while (all.length > 0) list.push(all.splice(0, 1 + random.below(6)).join(''));
    return list;
  };
  for (const piece of pieces(reasoning)) deltas.push({ reasoning_content: piece });
  for (const piece of pieces(content)) deltas.push({ content: piece });
  for (const [index, { id, name, args }] of calls.entries()) {
    deltas.push({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of pieces(args)) deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  const event = (fields: JsonObject) =>
    `data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', ...fields })}\n\n`;
  const events = deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }) + event({ choices: [], usage });
  return Buffer.from(`${events.join('')}${end}data: [DONE]\n\n`);
}

interface Folding {
  readonly kind: ClientKind;
  /** The SDK's own fold of a stream. */
  fold(stream: Buffer): Promise<Folded>;
  /** The mark of a clean end. */
  readonly end: RegExp;
}

const ends = {
  messages: /message_stop/,
  responses: /response\.(?:completed|incomplete|failed)"/,
  generate_content: /finishReason/,
  converse: /messageStop/,
} as const;

const foldings: readonly Folding[] = clientKinds.flatMap((kind) => {
  const { format } = kind;
  return format === 'chat_completions' || format === 'invoke' ? [] : [{ kind, fold: folds[format], end: ends[format] }];
});

function streamOf(kind: ClientKind, pieces: readonly Buffer[]): Buffer {
  const rewrite = rewriteFor(kind);
  return Buffer.concat(pieces.map(rewrite));
}

/** A byte each, so that frames can be compared as well. */
const bytesOf = (kind: ClientKind, pieces: readonly Buffer[]) => streamOf(kind, pieces).toString('latin1');

function wholeIn(kind: ClientKind, completion: JsonObject): JsonObject {
  const { translation } = clientFormats[kind.format];
  if (translation === undefined) throw new Error('a format of its own');
  return translation.writeResponse(messageOf(completion), clientRequestOf(translation, kind), elapsedMs);
}

const seed = startingSeed();

describe.each(foldings.map((one, index) => [one.kind.file, one, index] as const))(
  'a client of %s',
  (_file, folding, index) => {
    const { kind, fold, end } = folding;

    it(`reads the same whole and streamed, and what the model wrote (seeds from ${seed})`, async () => {
      for (let number = seed; number < seed + roundsOf(80); number++) {
        const random = new Random(number * 7919);
        const reply = randomReply(random);
        const whole = readable(JSON.parse(writeJson(wholeIn(kind, wholeOf(reply)))));
        const folded = await fold(streamOf(kind, [chunksOf(reply, random)]));
        const { reasoning, content, calls } = reply;
        const original = { reasoning, content, calls: calls.map(({ name, args }) => [name, JSON.parse(args)]) };
        expect(whole, `case ${number}`).toEqual(original);
        expect(folded, `case ${number}`).toEqual(original);
      }
    });

    it(`gets the same bytes wherever the vendor’s are cut, and no end before theirs (seed ${seed})`, () => {
      const random = new Random(seed * 104_729);
      const calls = [{ id: 'c', name: 'f', args: inputs[1] ?? '' }];
      const reply = { reasoning: 'Hm.', content: 'ü 🫖', calls, finish: 'tool_calls' };
      const bytes = chunksOf(reply, random);
      const all = bytesOf(kind, [bytes]);
      expect(all).toMatch(end);
      const last = bytes.lastIndexOf('data: [DONE]') + 'data: [DONE]\n'.length;
      for (const cut of sharedPositionsOf(1, bytes.length, { index, all: 3 })) {
        const both = bytesOf(kind, [bytes.subarray(0, cut), bytes.subarray(cut)]);
        if (both !== all) expect(both, `cut at byte ${cut}`).toBe(all);
        const half = bytesOf(kind, [bytes.subarray(0, cut)]);
        if (cut <= last && end.test(half)) expect(half, `ended at byte ${cut}`).not.toMatch(end);
        if (!all.startsWith(half)) expect(all, `cut at byte ${cut}`).toContain(half);
      }
      const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
      expect(bytesOf(kind, single)).toBe(all);
    });
  },
);

const piece = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const callPiece = (index: number, fields: object) => piece({ tool_calls: [{ index, ...fields }] });

describe('calls and refusals', () => {
  it.each(foldings.map((one) => [one.kind.file, one] as const))(
    'keep arguments whole where text comes between their pieces, for %s',
    async (_file, { kind, fold }) => {
      const chunks = [
        callPiece(0, { id: 'c0', type: 'function', function: { name: 'weather', arguments: '{"a":{' } }),
        callPiece(1, { id: 'c1', type: 'function', function: { name: 'time', arguments: '' } }),
        piece({ content: 'Let ' }),
        callPiece(0, { function: { arguments: '}' } }),
        piece({ reasoning_content: 'Hm.' }),
        callPiece(0, { function: { arguments: ',"b":1}' } }),
        piece({ content: 'me see.' }),
        callPiece(1, { function: { arguments: '{"c":2}' } }),
        piece({ refusal: ' No.' }),
        piece({}, 'tool_calls'),
        'data: [DONE]\n\n',
      ];
      expect(
        await fold(
          streamOf(
            kind,
            chunks.map((one) => Buffer.from(one)),
          ),
        ),
      ).toEqual({
        reasoning: 'Hm.',
        content: 'Let me see. No.',
        calls: [
          ['weather', { a: {}, b: 1 }],
          ['time', { c: 2 }],
        ],
      });
    },
  );

  it('that do not end let no text wait without bound', () => {
    const kind = clientKinds.find(({ format }) => format === 'messages');
    if (kind === undefined) throw new Error('there is such a format');
    const begun = callPiece(0, { id: 'c0', type: 'function', function: { name: 'weather', arguments: '{"a":' } });
    const texts = Array.from({ length: 10_001 }, () => piece({ content: 'a' }));
    expect(() => streamOf(kind, [Buffer.from([begun, ...texts].join(''))])).toThrow(
      expect.objectContaining({ code: 'upstream_protocol_error' }),
    );
  });

  it.each(foldings.map((one) => [one.kind.file, one] as const))(
    'have their text before the refusal, which a guard may release earlier, for %s',
    async (_file, { kind, fold }) => {
      const chunks = [piece({ refusal: 'I refuse.' }), piece({ content: 'Well. ' }), piece({}, 'content_filter')];
      const rewrite = rewriteFor(kind, true);
      const stream = Buffer.concat([...chunks, 'data: [DONE]\n\n'].map((one) => rewrite(Buffer.from(one))));
      expect((await fold(stream)).content).toBe('Well. I refuse.');
    },
  );

  it.each(['messages', 'responses'] as const)('keep the spelling of numbers in a stream for %s', (name) => {
    const kind = clientKinds.find(({ format }) => format === name);
    if (kind === undefined) throw new Error('there is such a format');
    const args = '{"n":12345678901234567890}';
    const reply = { reasoning: '', content: '', calls: [{ id: 'c', name: 'f', args }], finish: 'tool_calls' };
    const events = streamOf(kind, [chunksOf(reply, new Random(1))])
      .toString()
      .split('\n\n');
    const deltas = events.flatMap((event) => {
      const fields = parseExactJson(/^data: (.*)$/m.exec(event)?.[1] ?? '');
      if (!isObject(fields)) return [];
      const inner = isObject(fields.delta) ? fields.delta.partial_json : fields.delta;
      return typeof inner === 'string' ? [inner] : [];
    });
    expect(deltas.join('')).toBe(args);
  });
});
