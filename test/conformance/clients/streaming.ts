// Every kind of client of streams, twice: its bytes as no SDK shows them, and its SDK reading to the end.
import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseStreamCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { ApiError, GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import type { JsonObject } from '../../../common/json.ts';
import { type ClientKind, clientKinds, eventsIn } from '../../support/client-streams.ts';
import { linesOf } from '../../support/cloud-frames.ts';

export interface StreamTarget {
  readonly url: string;
  readonly key: string;
  /** With its provider. */
  readonly model: string;
}

export interface StreamingClient {
  readonly kind: ClientKind;
  /** The smallest request, without a model. */
  readonly body: JsonObject;
  path(model: string): string;
  headers(key: string): Readonly<Record<string, string>>;
  /** The SDK's reading of a whole stream; absent where the SDK does not use this framing. */
  readonly read?: (target: StreamTarget) => Promise<unknown>;
  /** The class of the SDK's errors for a stream that fails. */
  readonly failure: new (
    ...args: never[]
  ) => Error;
  /** Whether an event is the mark of a clean end. */
  isEnd(event: JsonObject): boolean;
  /** The last events of a stream that fails. */
  readonly lastEvents: readonly JsonObject[];
}

const text = { asymmetricMatch: (value: unknown) => typeof value === 'string' && value !== '', toString: () => 'text' };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const google = (key: string) => ({ 'x-goog-api-key': key });
const messages = [{ role: 'user' as const, content: 'Hello' }];
const contents = [{ role: 'user' as const, parts: [{ text: 'Hello' }] }];
const blocks = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
const invoked = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 4096, messages };

function kindOf(file: string): ClientKind {
  const kind = clientKinds.find((one) => one.file === file);
  if (kind === undefined) throw new Error(`there is no kind of client ${file}`);
  return kind;
}

async function readAll(events: AsyncIterable<unknown> | undefined): Promise<void> {
  for await (const _event of events ?? []);
}

const openai = ({ url, key }: StreamTarget) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });

async function withCloud<T>({ url, key }: StreamTarget, use: (client: BedrockRuntimeClient) => Promise<T>): Promise<T> {
  const requestHandler = new NodeHttpHandler();
  const client = new BedrockRuntimeClient({
    ...{ endpoint: url, region: 'eu-west-1', token: { token: key }, authSchemePreference: ['httpBearerAuth'] },
    ...{ requestHandler, maxAttempts: 1 },
  });
  try {
    return await use(client);
  } finally {
    requestHandler.destroy();
  }
}

const generated = {
  ...{ body: { contents }, headers: google, failure: ApiError },
  isEnd: ({ candidates }: JsonObject) => JSON.stringify(candidates ?? null).includes('"finishReason"'),
  lastEvents: [{ error: { code: numberFrom(400), message: text, status: text } }],
};
const framed = {
  headers: bearer,
  failure: BedrockRuntimeServiceException,
  lastEvents: [{ exception: someException() }],
};

export const streamingClients: readonly StreamingClient[] = [
  {
    ...{ kind: kindOf('chat-completions.sse'), body: { messages, stream: true }, headers: bearer },
    path: () => '/v1/chat/completions',
    read: async (to) => readAll(await openai(to).chat.completions.create({ model: to.model, messages, stream: true })),
    failure: OpenAI.APIError,
    isEnd: ({ choices }) => /"finish_reason":"/.test(JSON.stringify(choices ?? null)),
    lastEvents: [{ error: { message: text, type: text } }],
  },
  {
    ...{ kind: kindOf('messages.sse'), body: { max_tokens: 4096, messages, stream: true } },
    path: () => '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    read: ({ url, key, model }) =>
      new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 }).messages
        .stream({ model, max_tokens: 4096, messages })
        .finalMessage(),
    failure: Anthropic.APIError,
    isEnd: ({ type }) => type === 'message_stop' || type === 'message_delta',
    lastEvents: [{ type: 'error', error: { type: text, message: text } }],
  },
  {
    ...{ kind: kindOf('responses.sse'), body: { input: 'Hello', stream: true }, headers: bearer },
    path: () => '/v1/responses',
    read: (to) => openai(to).responses.stream({ model: to.model, input: 'Hello' }).finalResponse(),
    failure: OpenAI.APIError,
    isEnd: ({ type }) => type === 'response.completed' || type === 'response.incomplete',
    lastEvents: [
      { type: 'error', message: text },
      { type: 'response.failed', response: { status: 'failed', error: { message: text } } },
    ],
  },
  {
    ...{ kind: kindOf('generate-content.sse'), ...generated },
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    read: async ({ url, key, model }) => {
      const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, apiVersion: 'v1beta' } });
      return readAll(await client.models.generateContentStream({ model, contents }));
    },
  },
  {
    ...{ kind: kindOf('generate-content.json'), ...generated },
    path: (model) => `/v1beta/models/${model}:streamGenerateContent`,
  },
  {
    ...{ kind: kindOf('converse.jsonl'), body: { messages: blocks }, ...framed },
    path: (model) => `/model/${encodeURIComponent(model)}/converse-stream`,
    read: (to) =>
      withCloud(to, async (client) => {
        const command = new ConverseStreamCommand({ modelId: to.model, messages: blocks });
        return readAll((await client.send(command)).stream);
      }),
    isEnd: ({ messageStop }) => messageStop !== undefined,
  },
  {
    ...{ kind: kindOf('invoke.jsonl'), body: invoked, ...framed },
    path: (model) => `/model/${encodeURIComponent(model)}/invoke-with-response-stream`,
    read: (to) =>
      withCloud(to, async (client) => {
        const body = JSON.stringify(invoked);
        return readAll((await client.send(new InvokeModelWithResponseStreamCommand({ modelId: to.model, body }))).body);
      }),
    isEnd: ({ chunk }) => /"type":"message_(?:stop|delta)"/.test(JSON.stringify(chunk ?? null)),
  },
];

/** `toMatchObject` accepts these beside its own matchers. */
function numberFrom(min: number) {
  return { asymmetricMatch: (value: unknown) => Number(value) >= min, toString: () => `a number from ${min}` };
}

function someException() {
  const isException = (value: unknown) => /^\{"\w+Exception":\{"message":"/.test(JSON.stringify(value));
  return { asymmetricMatch: isException, toString: () => 'an exception with a message' };
}

export interface ReceivedStream {
  readonly status: number;
  /** Of the stream; empty if the response is none. */
  readonly events: readonly JsonObject[];
  readonly text: string;
  /** The connection ended before the response did. */
  readonly isBroken: boolean;
}

/** Reads a stream byte by byte. */
export async function receiveStream(
  client: StreamingClient,
  { url, key, model }: StreamTarget,
): Promise<ReceivedStream> {
  const response = await fetch(url + client.path(model), {
    method: 'POST',
    headers: { ...client.headers(key), 'content-type': 'application/json' },
    body: JSON.stringify('stream' in client.body ? { model, ...client.body } : client.body),
  });
  const pieces: Uint8Array[] = [];
  let isBroken = false;
  try {
    for await (const bytes of response.body ?? []) pieces.push(bytes);
  } catch {
    isBroken = true;
  }
  const bytes = Buffer.concat(pieces);
  const isFrames = response.status === 200 && client.kind.file.endsWith('.jsonl');
  const all = isFrames ? linesOf(bytes) : bytes.toString();
  return { status: response.status, text: all, events: response.status === 200 ? eventsIn(all) : [], isBroken };
}
