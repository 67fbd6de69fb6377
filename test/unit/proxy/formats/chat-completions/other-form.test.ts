// A whole response as a stream, and a stream as a whole response: for the golden streams of all kinds of clients, read by
// the official SDKs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamOfWhole, wholeOfStream } from '../../../../../proxy/formats/chat-completions/other-form.ts';
import { messageOf } from '../../../../../proxy/formats/chat-completions/read-message.ts';
import { folds } from '../../../../support/client-folds.ts';
import {
  type ClientKind,
  clientKinds,
  isFailure,
  rewriteFor,
  type Step,
  wholeOfSteps,
  writeSteps,
} from '../../../../support/client-streams.ts';

const root = join(import.meta.dirname, '../../../../golden/client-streams');
const chat: ClientKind = { format: 'chat_completions', framing: undefined, file: 'chat-completions.sse' };

interface Case {
  readonly steps: readonly Step[];
  /** A whole chat completion. */
  readonly whole: Buffer;
  /** The events of the same response. */
  readonly stream: Buffer;
}

function openCase(name: string): Case {
  const text = readFileSync(join(root, name, 'steps.jsonl'), 'utf8');
  const steps = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step);
  const whole = Buffer.from(JSON.stringify(wholeOfSteps(chat, steps)));
  return { steps, whole, stream: Buffer.concat(writeSteps(chat, steps).pieces) };
}

function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** No client gets such a response as a whole. */
const isFailed = (name: string) => readFileSync(join(root, name, 'steps.jsonl'), 'utf8').includes('"reason":"error"');
const isOwnRequest = (name: string) => existsSync(join(root, name, 'responses-request.json'));
// Logprobs are the choice's in a whole response, which the steps do not have.
const complete = readdirSync(root).filter(
  (name) =>
    !name.startsWith('failure') &&
    !isFailed(name) &&
    !isOwnRequest(name) &&
    name !== 'logprobs' &&
    name !== 'length-in-a-call',
);
const kinds = clientKinds.flatMap((kind) =>
  kind.format in folds ? [[kind.file, kind, folds[kind.format as keyof typeof folds]] as const] : [],
);

describe.each(complete)('the response %s', (name) => {
  const { whole, stream } = openCase(name);

  it('is the same whole as in its stream', () => {
    const made = atOnce(wholeOfStream(stream));
    expect(made).toBeDefined();
    const { usageExtras: _fields, ...message } = messageOf(JSON.parse(String(made)));
    expect(message).toEqual(messageOf(JSON.parse(whole.toString())));
  });

  it.each(kinds)('is read from a stream that was made of the whole, in %s', async (_file, kind, fold) => {
    const made = atOnce(streamOfWhole(whole, kind.format !== 'chat_completions'));
    expect(made).toBeDefined();
    const bytes = rewriteFor(kind)(made ?? Buffer.alloc(0));
    const { steps } = openCase(name);
    const original = rewriteFor(kind)(Buffer.concat(writeSteps(chat, steps).pieces));
    if (isFailure(kind, steps)) {
      // The gateway ends it with an error, which is not in these bytes.
      for (const read of [bytes, original]) await expect(fold(read)).rejects.toThrow();
    } else expect(await fold(bytes)).toEqual(await fold(original));
  });

  it('is unchanged by both', () => {
    const made = atOnce(streamOfWhole(whole, false)) ?? Buffer.alloc(0);
    expect(messageOf(JSON.parse(String(atOnce(wholeOfStream(made)))))).toEqual(messageOf(JSON.parse(whole.toString())));
  });
});

describe('the signatures of thinking', () => {
  it('are in the stream of a client with blocks, each after its text', () => {
    const { whole } = openCase('reasoning-signed');
    const made = String(atOnce(streamOfWhole(whole, true)));
    const blocks = JSON.parse(whole.toString()).choices[0].message.thinking_blocks;
    expect(blocks.length).toBeGreaterThan(0);
    for (const { signature = '', data = '' } of blocks) expect(made).toContain(signature || data);
    const back = JSON.parse(String(atOnce(wholeOfStream(Buffer.from(made)))));
    expect(back.choices[0].message.thinking_blocks).toEqual(blocks);
  });
});

describe('a response has no other form', () => {
  const completion = (message: object, more: object = {}) =>
    Buffer.from(
      JSON.stringify({
        ...{ id: 'a', object: 'chat.completion', created: 1, model: 'm' },
        choices: [{ index: 0, message: { role: 'assistant', content: 'x', ...message }, finish_reason: 'stop' }],
        ...more,
      }),
    );
  const chunk = (delta: object) => `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, delta }] })}\n\n`;

  it.each([
    ['sound', completion({ audio: { id: 'a', data: '' } })],
    ['a field that is not known', completion({ reasoning_details: [{}] })],
    ['several choices', completion({}, { choices: [{ message: {} }, { message: {} }] })],
    ['no choice', completion({}, { choices: [] })],
    ['no JSON', Buffer.from('x')],
  ])('with %s, as a whole', (_name, body) => {
    expect(atOnce(streamOfWhole(body, false))).toBeUndefined();
  });

  it.each([
    ['sound', `${chunk({ audio: { data: 'a' } })}data: [DONE]\n\n`],
    ['a field that is not known', `${chunk({ reasoning_details: [{}] })}data: [DONE]\n\n`],
    ['a call of the deprecated form', `${chunk({ function_call: { name: 'f' } })}data: [DONE]\n\n`],
    ['no end', chunk({ content: 'x' })],
    ['no event', ''],
  ])('with %s, as a stream', (_name, text) => {
    expect(atOnce(wholeOfStream(Buffer.from(text)))).toBeUndefined();
  });

  it('has one with fields that are there and say nothing', () => {
    const body = completion({ annotations: [], audio: null, function_call: null, tool_calls: null, refusal: null });
    expect(atOnce(streamOfWhole(body, false))).toBeDefined();
  });
});
