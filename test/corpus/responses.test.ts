// Every response of the corpus, whole and streamed, as the official SDK of the callers' format reads it: the vendor's
// content arrives, and the stream has the same content as the whole response.
import OpenAI from 'openai';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { describe, expect, it } from 'vitest';
import { checkSense, readCompletion } from '../support/completions.ts';
import { readInPieces } from '../support/golden.ts';
import { ask, readingOf, wholeOf } from './read.ts';
import { type CorpusResponse, corpusResponses, type Expected } from './responses.ts';

it('the corpus has at least 120 responses with unique names', () => {
  expect(new Set(corpusResponses.map(({ name }) => name)).size).toBe(corpusResponses.length);
  expect(corpusResponses.length).toBeGreaterThanOrEqual(120);
});

describe.each(corpusResponses.map((one) => [one.name, one] as const))('%s', (_name, response) => {
  it('is read as a whole response', async () => {
    const completion = await client(wholeOf(response), 'application/json').chat.completions.create(ask);
    // Refusals of vendors that use the callers' format pass unchanged.
    if (completion.choices[0]?.message.refusal === null) checkSense(readCompletion(completion));
    expectStated(completion, response.expected);
  });

  it('is read as a stream', async () => {
    const sdk = client(readStream(response), 'text/event-stream');
    const stream = await sdk.chat.completions.create({ ...ask, stream: true });
    const [kept, read] = stream.tee();
    const completion = await ChatCompletionStream.fromReadableStream(read.toReadableStream()).finalChatCompletion();
    const extras: Record<string, unknown> = {};
    let reasoning = '';
    for await (const { choices } of kept) {
      const { reasoning_content = '', ...delta }: Readonly<Record<string, unknown>> = {
        ...choices[0]?.delta,
      };
      reasoning += String(reasoning_content);
      Object.assign(extras, delta);
    }
    const { content, tool_calls, ...others } = extras;
    Object.assign(completion.choices[0]?.message ?? {}, others, { reasoning_content: reasoning });
    expectStated(completion, response.expected);
  });
});

function readStream(response: CorpusResponse): string {
  const { stream } = response;
  const { call, provider } = readingOf(response, true);
  const reader = provider.format.openStream(call, {}, { eventBytesMax: 1024 * 1024 });
  const pieces = Array.from({ length: Math.ceil(stream.length / 37) }, (_, at) =>
    stream.subarray(at * 37, (at + 1) * 37),
  );
  const reported = readInPieces(reader, pieces);
  expect(reader.complete, JSON.stringify(reader.failure)).toBe(true);
  return reported;
}

/** The official SDK with a server that returns this one response. */
function client(body: string, type: string): OpenAI {
  const fetch = async () => new Response(body, { headers: { 'content-type': type } });
  return new OpenAI({ apiKey: 'none', baseURL: 'http://gateway.test/v1', fetch, maxRetries: 0 });
}

function expectStated({ choices, usage }: OpenAI.ChatCompletion, expected: Expected): void {
  const [choice] = choices;
  const message: Record<string, unknown> = { ...choice?.message };
  const { content, reasoning, calls, finish, native, has = [] } = expected;
  if (content !== undefined) expect(message.content ?? '').toBe(content);
  if (reasoning !== undefined) expect(message.reasoning_content ?? '').toBe(reasoning);
  const called = (choice?.message.tool_calls ?? []).flatMap((one) =>
    one.type === 'function' ? [[one.function.name, one.function.arguments]] : [],
  );
  if (calls !== undefined) expect(called).toEqual(calls);
  if (finish !== undefined) expect(choice?.finish_reason).toBe(finish);
  if (native !== undefined) expect(choice).toHaveProperty('native_finish_reason', native);
  for (const name of has) expect(message[name], name).toBeTruthy();
  if (expected.usage === undefined) return;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage ?? {};
  expect([prompt_tokens, completion_tokens, prompt_tokens_details?.cached_tokens ?? 0]).toEqual(expected.usage);
}
