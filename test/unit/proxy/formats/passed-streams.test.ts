// Streams that clients get as their vendor sent them. Most of their events pass unread, and what is known of the stream
// afterwards is what a reader of every event knows.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  forNativeClients,
  type NativeOptions,
  type OnlyText,
} from '../../../../proxy/formats/chat-completions/native.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { FrameBytes } from '../../../../proxy/formats/converse/frames.ts';
import { converse } from '../../../../proxy/formats/converse/index.ts';
import { invokeFormat, onlyTextOf as invokeText } from '../../../../proxy/formats/converse/invoke-vendor.ts';
import { onlyTextOf as converseText } from '../../../../proxy/formats/converse/read-stream.ts';
import type { ReadableFormat, StreamReader } from '../../../../proxy/formats/format.ts';
import { generateContent } from '../../../../proxy/formats/generate-content/index.ts';
import { onlyTextOf as generateContentText } from '../../../../proxy/formats/generate-content/read-stream.ts';
import { messages } from '../../../../proxy/formats/messages/index.ts';
import { onlyTextOf as messagesText } from '../../../../proxy/formats/messages/read-stream.ts';
import { responses } from '../../../../proxy/formats/responses/index.ts';
import { onlyTextOf as responsesText } from '../../../../proxy/formats/responses/read-stream.ts';
import { SseSplitter } from '../../../../proxy/formats/sse.ts';
import { assistantProvider } from '../../../../proxy/providers/assistant-provider.ts';
import { gptProvider } from '../../../../proxy/providers/gpt-provider.ts';
import { managedCloudModels } from '../../../../proxy/providers/managed-cloud-models.ts';
import type { Provider } from '../../../../proxy/providers/provider.ts';
import { searchProvider } from '../../../../proxy/providers/search-provider.ts';
import { framesOf } from '../../../support/cloud-frames.ts';
import { goldenCall } from '../../../support/golden.ts';

interface Passing {
  readonly provider: Provider;
  readonly model: string;
  readonly format: ReadableFormat;
  readonly onlyText: OnlyText;
  readonly openSplitter?: NativeOptions['openSplitter'];
  /** As the vendor's documentation prints them. */
  readonly text: readonly string[];
  /** Events that contain more than one text, or another meaning. */
  readonly more: readonly string[];
  /** Default: the golden ones of the provider. */
  readonly streams?: () => Readonly<Record<string, Buffer>>;
}

const sse = (type: string, fields: string) => `event: ${type}\ndata: {"type":"${type}",${fields}}\n\n`;
const block = (fields: string) => sse('content_block_delta', `"index":0,"delta":{${fields}}`);
const outputText = (fields: string) =>
  sse('response.output_text.delta', `"item_id":"msg_1","output_index":0,"content_index":0,${fields}`);
const gemini = (fields: string) => `data: {"candidates": [{"content": {${fields}\r\n\r\n`;
const counts = '"usageMetadata": {"promptTokenCount": 8,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 8}]}';
const frame = (fields: string) =>
  framesOf(`{"contentBlockDelta":{"contentBlockIndex":0,"delta":{${fields}}}}`).toString('latin1');

/** Events of the Messages API as InvokeModel sends them. */
function chunks(events: string): Buffer {
  const data = events.split(/\r?\n/).flatMap((line) => /^data: *(.*)$/.exec(line)?.[1] ?? []);
  const frames = data.map((json) =>
    JSON.stringify({ chunk: { bytes: Buffer.from(json).toString('base64'), p: 'ab' } }),
  );
  return framesOf(frames.join('\n'));
}

const passings: Readonly<Record<string, Passing>> = {
  messages: {
    provider: assistantProvider,
    model: 'claude-sonnet-4-6',
    format: messages,
    onlyText: messagesText,
    text: [
      block('"type":"text_delta","text":"Hello"'),
      block('"type":"text_delta","text":" \\"quoted\\" {"'),
      block('"type":"thinking_delta","thinking":"Need a kettle."'),
      block('"type":"text_delta","text":""').replace('}}', '}             }'),
    ],
    more: [
      block('"type":"input_json_delta","partial_json":"{"'),
      block('"type":"signature_delta","signature":"c2ln"'),
      block('"type":"text_delta","text":"a"').replace('"index":0', '"type":"message_stop","index":0'),
      sse('message_delta', '"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}'),
    ],
  },
  responses: {
    provider: gptProvider,
    model: 'gpt-5',
    format: responses,
    onlyText: responsesText,
    text: [
      outputText('"delta":"Hi","sequence_number":4'),
      outputText('"delta":"\\n","logprobs":[],"obfuscation":"x","sequence_number":4'),
    ],
    more: [
      sse('response.output_text.done', '"item_id":"msg_1","text":"Hi"'),
      sse('response.function_call_arguments.delta', '"item_id":"fc_1","delta":"{"'),
      sse('error', '"code":null,"message":"broken"'),
    ],
  },
  generate_content: {
    provider: searchProvider,
    model: 'gemini-2.5-flash',
    format: generateContent,
    onlyText: generateContentText,
    text: [
      gemini(`"parts": [{"text": "Hi \\"there\\""}],"role": "model"}}],${counts},"modelVersion": "gemini-2.5-flash"}`),
      gemini(`"parts": [{"text": "Hm","thought": true}],"role": "model"},"index": 0}],${counts},"responseId": "r-1"}`),
    ],
    more: [
      gemini(`"parts": [{"text": "a"}],"role": "model"},"finishReason": "STOP"}],${counts}}`),
      gemini(`"parts": [{"text": "a"},{"text": "b"}],"role": "model"}}],${counts}}`),
      gemini(`"parts": [{"text": "a","thoughtSignature": "c2ln"}],"role": "model"}}],${counts}}`),
      gemini(`"parts": [{"text": "a"}],"role": "model"},"groundingMetadata": {"webSearchQueries": ["q"]}}],${counts}}`),
      gemini(`"parts": [{"text": "a"}],"role": "model"}}],${counts},"error": {"code": 500}}`),
    ],
  },
  converse: {
    provider: managedCloudModels,
    model: 'anthropic.claude-sonnet-4-6',
    format: converse,
    onlyText: converseText,
    openSplitter: (bytesMax) => new FrameBytes(bytesMax),
    text: [frame('"text":"Hello"'), frame('"text":"a \\"b\\""')],
    more: [frame('"toolUse":{"input":"{"}'), frame('"reasoningContent":{"signature":"c2ln"}')],
  },
  invoke: {
    provider: managedCloudModels,
    model: 'anthropic.claude-sonnet-4-6',
    format: invokeFormat(messages),
    onlyText: invokeText(messagesText),
    openSplitter: (bytesMax) => new FrameBytes(bytesMax),
    text: [
      chunks(block('"type":"text_delta","text":"H\u00e9llo"')),
      chunks(block('"type":"thinking_delta","thinking":"Hm"')),
    ].map((bytes) => bytes.toString('latin1')),
    more: [
      chunks(block('"type":"input_json_delta","partial_json":"{"')),
      chunks(sse('message_stop', '"amazon-bedrock-invocationMetrics":{"inputTokenCount":8}')),
      framesOf('{"exception":{"throttlingException":{"message":"slow down"}}}'),
    ].map((bytes) => bytes.toString('latin1')),
    streams: () =>
      Object.fromEntries(
        Object.entries(streamsOf({ provider: assistantProvider, format: messages })).map(([name, stream]) => [
          name,
          chunks(stream.toString()),
        ]),
      ),
  },
};

describe.each(Object.entries(passings))('events of %s', (_name, { onlyText, text, more }) => {
  const textsOf = (events: readonly string[]) => events.map((event) => onlyText(Buffer.from(event, 'latin1')));

  it('that contain one text pass unread', () => {
    expect(textsOf(text)).toEqual(text.map(() => expect.any(String)));
  });

  it('that contain more are read', () => {
    expect(textsOf(more)).toEqual(more.map(() => undefined));
  });
});

describe.each(Object.entries(passings))('a stream of %s', (_name, passing) => {
  const streams = passing.streams?.() ?? streamsOf(passing);

  it.each(Object.entries(streams))(
    '%s is known as well as one whose every event is read, wherever it breaks off',
    (_, stream) => {
      const events = eventsOf(passing, stream);
      for (let count = 0; count <= events.length; count++) {
        const some = events.slice(0, count);
        expect(knownOf(open(passing, true), some), `after ${count} events`).toEqual(
          knownOf(open(passing, false), some),
        );
      }
    },
  );

  it('has events that pass unread', () => {
    const events = Object.values(streams).flatMap((stream) => eventsOf(passing, stream));
    expect(events.filter((event) => passing.onlyText(event) !== undefined).length).toBeGreaterThan(0);
  });
});

describe('a stream of converse that breaks its format in an event that passed unread', () => {
  it('is settled all the same, by the text that its client got', () => {
    const event = Buffer.from(frame('"text":"Hello"'), 'latin1');
    // The checksum at the end is wrong.
    event[event.length - 1] = (event.at(-1) ?? 0) ^ 1;
    const stream = open(passings.converse as Passing, true);
    expect(stream.push(event)).toEqual(event);
    expect(stream.usage).toBeUndefined();
    expect(stream.textTokens).toBeGreaterThan(0);
    expect([stream.model, stream.complete]).toEqual([undefined, false]);
  });
});

describe('a stream in which the vendor reports an error', () => {
  it.each([
    ['messages', sse('error', '"error":{"type":"overloaded_error","message":"Overloaded"}'), 'server_is_overloaded'],
    ['responses', sse('error', '"code":"rate_limit_exceeded","message":"Slow down"'), 'rate_limit_exceeded'],
  ])('has failed, and its client gets the gateway’s own error instead: %s', (name, event, code) => {
    const stream = open(passings[name] as Passing, true);
    expect(stream.push(Buffer.from(event)).toString()).toBe('');
    expect(stream.failure).toMatchObject({ code });
    expect(stream.complete).toBe(false);
  });
});

function open({ provider, model, format, onlyText, openSplitter }: Passing, skips: boolean): StreamReader {
  const options = { ...(openSplitter && { openSplitter }), ...(skips && { onlyText }) };
  const { passed } = forNativeClients(format, () => ({ body: '', dropped: [], headers: [] }), options);
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], stream: true };
  const call = goldenCall(provider, parseChatRequest(Buffer.from(JSON.stringify(body))));
  return passed.openStream(call, {}, { eventBytesMax: 1024 * 1024 });
}

/** What the ledger and the logs learn, and the client's bytes. */
function knownOf(stream: StreamReader, events: readonly Buffer[]): object {
  let bytes: string;
  try {
    bytes = Buffer.concat([...events.map((event) => stream.push(event)), stream.end()]).toString('latin1');
  } catch (error) {
    bytes = String(error);
  }
  const { complete, failure, usage, usageIsComplete, model, textTokens } = stream;
  return { bytes, complete, failure, usage, usageIsComplete, model, textTokens };
}

function eventsOf(
  { openSplitter = (bytesMax) => new SseSplitter(bytesMax) }: Passing,
  stream: Buffer,
): readonly Buffer[] {
  return openSplitter(1024 * 1024)
    .push(stream)
    .map((event) => Buffer.from(event));
}

/** The golden streams of the vendor, its transcripts, and one made of the events above. */
function streamsOf({ provider, format }: Pick<Passing, 'provider' | 'format'>): Readonly<Record<string, Buffer>> {
  if (format.name === 'responses') return { 'one of text': responsesStream() };
  const golden = `${import.meta.dirname}/../../../golden/${provider.name}/`;
  const transcripts = `${import.meta.dirname}/../../../transcripts/`;
  const found = readdirSync(golden)
    .filter((name) => name.startsWith('stream-'))
    .flatMap((name) =>
      readdirSync(golden + name)
        .filter((file) => /^stream\.(?:sse|bin|jsonl)$/.test(file))
        .map((file) => {
          const bytes = readFileSync(`${golden}${name}/${file}`);
          return [name, file.endsWith('jsonl') ? framesOf(bytes.toString()) : bytes] as const;
        }),
    );
  const recorded = readdirSync(transcripts)
    .filter((file) => file.startsWith(provider.name))
    .map((file) => [file, readFileSync(transcripts + file)] as const);
  return Object.fromEntries([...found, ...recorded]);
}

function responsesStream(): Buffer {
  const response = (status: string, more: object = {}) =>
    JSON.stringify({ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5', status, output: [], ...more });
  const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
  const message = '"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}';
  const pieces = ['Hé', ' \\"there\\"', '\\n'].map((text) => outputText(`"delta":"${text}","logprobs":[]`));
  return Buffer.from(
    [
      sse('response.created', `"response":${response('in_progress')}`),
      sse('response.output_item.added', `"output_index":0,${message}`),
      ...pieces,
      sse('response.output_item.done', `"output_index":0,${message}`),
      sse('response.completed', `"response":${response('completed', { usage })}`),
    ].join(''),
  );
}
