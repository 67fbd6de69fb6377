// Random responses, as chat completions, in each client's format: the stream folded by the official SDK is the whole
// response, both contain what was there, and wherever the stream is cut the client's bytes are the same or have no end.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { ChunkReader } from '../../proxy/formats/chat-completions/read-chunks.ts';
import { messageOf } from '../../proxy/formats/chat-completions/read-message.ts';
import type { ClientRequest, ClientTranslation } from '../../proxy/formats/client-format.ts';
import { LossList } from '../../proxy/formats/client-losses.ts';
import { generateContentClients } from '../../proxy/formats/generate-content/client.ts';
import { messagesClients } from '../../proxy/formats/messages/client.ts';
import { responsesClients } from '../../proxy/formats/responses/client.ts';
import { Random } from '../support/access/random.ts';
import { positionsOf, roundsOf, startingSeed } from '../support/seed.ts';

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

function requestOf(translation: ClientTranslation): ClientRequest {
  const path = { model: 'm', stream: true };
  return {
    translation,
    body: { model: 'm' },
    bytes: undefined,
    path,
    headers: [],
    origins: [],
    losses: new LossList(),
  };
}

function streamOf(translation: ClientTranslation, pieces: readonly Buffer[]): string {
  const reader = new ChunkReader(translation.openWriter(requestOf(translation), () => 0));
  return Buffer.concat(pieces.map((piece) => reader.push(piece))).toString();
}

const fetchOf = (stream: string) => () =>
  Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));

interface Folding {
  readonly translation: ClientTranslation;
  /** The SDK's own fold of a stream. */
  fold(stream: string): Promise<unknown>;
  /** The mark of a clean end. */
  readonly end: RegExp;
}

const foldings: readonly Folding[] = [
  {
    translation: messagesClients,
    end: /message_stop/,
    fold: (stream) => {
      const client = new Anthropic({ apiKey: 'sk-ant-sim', fetch: fetchOf(stream), maxRetries: 0 });
      const params = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hello' }] };
      return client.messages.stream(params).finalMessage();
    },
  },
  {
    translation: responsesClients,
    end: /response\.(?:completed|incomplete|failed)"/,
    fold: (stream) => {
      const client = new OpenAI({ apiKey: 'sk-sim', fetch: fetchOf(stream), maxRetries: 0 });
      return client.responses.stream({ model: 'm', input: 'Hello' }).finalResponse();
    },
  },
  {
    translation: generateContentClients,
    end: /finishReason/,
    fold: (stream) => {
      // The SDK has no fold: its users join the parts of each piece.
      const events = stream.split('\n\n').filter((one) => one !== '');
      const parts = events.flatMap((one) => {
        const [candidate] = objectsOf(JSON.parse(one.replace('data: ', '')).candidates);
        return isObject(candidate?.content) ? objectsOf(candidate.content.parts) : [];
      });
      return Promise.resolve({ parts });
    },
  },
];

/** What a client reads, whichever format it has: numbers of arguments are those that JavaScript reads. */
function readable(response: unknown): JsonObject {
  const { content, output, candidates, parts } = isObject(response) ? response : {};
  const [candidate] = objectsOf(candidates);
  const made = isObject(candidate) && isObject(candidate.content) ? candidate.content.parts : [];
  const all = objectsOf(content ?? output ?? parts ?? made);
  const items = all.flatMap((one) => (one.type === 'message' ? objectsOf(one.content) : [one]));
  const isThought = ({ thought, type }: JsonObject) => thought === true || type === 'thinking' || type === 'reasoning';
  return {
    reasoning: items.filter(isThought).map(thoughtOf).join(''),
    content: items.flatMap((one) => (!isThought(one) && typeof one.text === 'string' ? [one.text] : [])).join(''),
    calls: items.flatMap(callsOf),
  };
}

function thoughtOf({ thinking, text, summary }: JsonObject): string {
  const [first] = objectsOf(summary);
  return String(thinking ?? text ?? first?.text ?? '');
}

function callsOf({ type, name, input, arguments: args, functionCall }: JsonObject): readonly unknown[] {
  if (isObject(functionCall)) return [[functionCall.name, functionCall.args]];
  if (type === 'tool_use') return [[name, input]];
  return type === 'function_call' ? [[name, JSON.parse(String(args))]] : [];
}

const seed = startingSeed();

describe.each(foldings.map((one) => [one.translation.name, one] as const))('a client of %s', (_name, folding) => {
  const { translation, fold, end } = folding;

  it(`reads the same whole and streamed, and what the model wrote (seeds from ${seed})`, async () => {
    for (let number = seed; number < seed + roundsOf(80); number++) {
      const random = new Random(number * 7919);
      const reply = randomReply(random);
      const written = translation.writeResponse(messageOf(wholeOf(reply)), requestOf(translation), 0);
      const whole = readable(JSON.parse(writeJson(written)));
      const folded = readable(await fold(streamOf(translation, [chunksOf(reply, random)])));
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
    const all = streamOf(translation, [bytes]);
    expect(all).toMatch(end);
    const last = bytes.lastIndexOf('data: [DONE]') + 'data: [DONE]\n'.length;
    for (const cut of positionsOf(1, bytes.length)) {
      const both = streamOf(translation, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (both !== all) expect(both, `cut at byte ${cut}`).toBe(all);
      const half = streamOf(translation, [bytes.subarray(0, cut)]);
      if (cut <= last && end.test(half)) expect(half, `ended at byte ${cut}`).not.toMatch(end);
      if (!all.startsWith(half)) expect(all, `cut at byte ${cut}`).toContain(half);
    }
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(streamOf(translation, single)).toBe(all);
  });
});

describe('arguments of calls', () => {
  it.each(['messages', 'responses'] as const)('keep the spelling of their numbers in a stream for %s', (name) => {
    const folding = foldings.find(({ translation }) => translation.name === name);
    if (folding === undefined) throw new Error('there is such a format');
    const args = '{"n":12345678901234567890}';
    const reply = { reasoning: '', content: '', calls: [{ id: 'c', name: 'f', args }], finish: 'tool_calls' };
    const events = streamOf(folding.translation, [chunksOf(reply, new Random(1))]).split('\n\n');
    const deltas = events.flatMap((event) => {
      const fields = parseExactJson(/^data: (.*)$/m.exec(event)?.[1] ?? '');
      if (!isObject(fields)) return [];
      const inner = isObject(fields.delta) ? fields.delta.partial_json : fields.delta;
      return typeof inner === 'string' ? [inner] : [];
    });
    expect(deltas.join('')).toBe(args);
  });
});
