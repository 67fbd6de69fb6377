// The official SDK of each vendor's own format as a client of the gateway, without retries of its own: a whole request,
// a streamed one, and what an application can read of a failure.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { ApiError, GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI, { AzureOpenAI } from 'openai';
import type { VendorName } from '../../../common/vendors.ts';
import { modelAt } from '../clients/scene.ts';

export interface Gateway {
  readonly url: string;
  readonly key: string;
}

export interface ReadResponse {
  readonly text: string;
  readonly attempts: string | undefined;
}

export interface ReadFailure {
  readonly error: string;
  readonly status: number | undefined;
  readonly message: string;
  readonly retryAfter: string | undefined;
  /** Undefined if the response had begun. */
  readonly attempts: string | undefined;
}

export interface FailureClient {
  whole(gateway: Gateway): Promise<ReadResponse>;
  streamed(gateway: Gateway): Promise<ReadResponse>;
  /** @throws what is no error of the SDK */
  failureOf(thrown: unknown): ReadFailure;
}

const messages = [{ role: 'user' as const, content: 'Hello' }];
const contents = 'Hello';
const blocks = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];

function chatClient(model: string, open: (gateway: Gateway) => OpenAI): FailureClient {
  return {
    async whole(gateway) {
      const { data, response } = await open(gateway).chat.completions.create({ model, messages }).withResponse();
      return { text: data.choices[0]?.message.content ?? '', attempts: attemptsIn(response.headers) };
    },
    async streamed(gateway) {
      const pending = open(gateway).chat.completions.create({ model, messages, stream: true });
      const { data, response } = await pending.withResponse();
      let text = '';
      for await (const { choices } of data) text += choices[0]?.delta.content ?? '';
      return { text, attempts: attemptsIn(response.headers) };
    },
    failureOf(thrown) {
      if (!(thrown instanceof OpenAI.APIError)) throw thrown;
      const { status, message } = thrown;
      return { error: thrown.constructor.name, status, message, ...waitIn(status && thrown.headers) };
    },
  };
}

const openai = chatClient(
  modelAt('gpt-provider'),
  ({ url, key }) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }),
);

const azure = chatClient(
  modelAt('studio-ai'),
  ({ url, key }) => new AzureOpenAI({ endpoint: url, apiKey: key, apiVersion: '2024-10-21', maxRetries: 0 }),
);

const anthropic: FailureClient = {
  async whole(gateway) {
    const { data, response } = await openAnthropic(gateway).messages.create(anthropicRequest).withResponse();
    const text = data.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { text, attempts: attemptsIn(response.headers) };
  },
  async streamed(gateway) {
    const stream = openAnthropic(gateway).messages.stream(anthropicRequest);
    const { response } = await stream.withResponse();
    return { text: await stream.finalText(), attempts: attemptsIn(response.headers) };
  },
  failureOf(thrown) {
    if (!(thrown instanceof Anthropic.APIError)) throw thrown;
    const { status, message } = thrown;
    return { error: thrown.constructor.name, status, message, ...waitIn(status && thrown.headers) };
  },
};
const anthropicRequest = { model: modelAt('assistant-provider'), max_tokens: 4096, messages };
const openAnthropic = ({ url, key }: Gateway) => new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });

/** The SDK's error has no headers, so those of the last response of `fetch` are noted. */
const google: FailureClient = {
  whole: (gateway) => notingHead(async () => (await openGoogle(gateway).generateContent(googleRequest)).text ?? ''),
  streamed: (gateway) =>
    notingHead(async () => {
      let text = '';
      for await (const piece of await openGoogle(gateway).generateContentStream(googleRequest))
        text += piece.text ?? '';
      return text;
    }),
  failureOf(thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { status, message } = thrown;
    const { statusCode, headers } = lastHead;
    return { error: 'ApiError', status, message, ...waitIn(statusCode === 200 ? undefined : headers) };
  },
};
const googleRequest = { model: modelAt('search-provider'), contents };
const openGoogle = ({ url, key }: Gateway) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, apiVersion: 'v1beta' } }).models;

let lastHead: { readonly statusCode: number; readonly headers: Headers } = { statusCode: 0, headers: new Headers() };

async function notingHead(read: () => Promise<string>): Promise<ReadResponse> {
  const note = (event: unknown) => {
    const { request, response } = event as {
      request: { path: string };
      response: { statusCode: number; headers: readonly Buffer[] };
    };
    if (!/enerateContent\b/.test(request.path)) return;
    const headers = new Headers();
    for (let at = 0; at + 1 < response.headers.length; at += 2) {
      headers.append(String(response.headers[at]), String(response.headers[at + 1]));
    }
    lastHead = { statusCode: response.statusCode, headers };
  };
  subscribe('undici:request:headers', note);
  try {
    const text = await read();
    return { text, attempts: attemptsIn(lastHead.headers) };
  } finally {
    unsubscribe('undici:request:headers', note);
  }
}

const cloud: FailureClient = {
  whole: (gateway) =>
    withCloud(gateway, async (client, head) => {
      const { output } = await client.send(new ConverseCommand(cloudRequest));
      const text = output?.message?.content?.map((block) => block.text ?? '').join('') ?? '';
      return { text, attempts: head()['x-svc-attempts'] };
    }),
  streamed: (gateway) =>
    withCloud(gateway, async (client, head) => {
      const { stream = [] } = await client.send(new ConverseStreamCommand(cloudRequest));
      let text = '';
      for await (const { contentBlockDelta } of stream) text += contentBlockDelta?.delta?.text ?? '';
      return { text, attempts: head()['x-svc-attempts'] };
    }),
  failureOf(thrown) {
    if (!(thrown instanceof BedrockRuntimeServiceException)) throw thrown;
    const { name, message, $response } = thrown;
    // Exceptions inside of a stream have none, against their type.
    const metadata: BedrockRuntimeServiceException['$metadata'] | undefined = thrown.$metadata;
    const status = metadata?.httpStatusCode;
    return { error: name, status, message, ...waitIn(status && new Headers($response?.headers ?? {})) };
  },
};
const cloudRequest = { modelId: modelAt('managed-cloud-models'), messages: blocks };

async function withCloud<T>(
  { url, key }: Gateway,
  use: (client: BedrockRuntimeClient, head: () => Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const requestHandler = new NodeHttpHandler();
  const client = new BedrockRuntimeClient({
    ...{ endpoint: url, region: 'eu-west-1', token: { token: key }, authSchemePreference: ['httpBearerAuth'] },
    ...{ requestHandler, maxAttempts: 1 },
  });
  let headers: Readonly<Record<string, string>> = {};
  const note = { step: 'deserialize' as const, priority: 'low' as const };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      ({ headers } = result.response as { headers: Readonly<Record<string, string>> });
      return result;
    },
    note,
  );
  try {
    return await use(client, () => headers);
  } finally {
    requestHandler.destroy();
  }
}

function attemptsIn(headers: Headers): string | undefined {
  return headers.get('x-svc-attempts') ?? undefined;
}

function waitIn(headers: Headers | 0 | undefined) {
  if (headers === undefined || headers === 0) return { retryAfter: undefined, attempts: undefined };
  return { retryAfter: headers.get('retry-after') ?? undefined, attempts: attemptsIn(headers) };
}

export const failureClients: Readonly<Record<VendorName, FailureClient>> = {
  'gpt-provider': openai,
  'studio-ai': azure,
  'managed-cloud-models': cloud,
  'assistant-provider': anthropic,
  'search-provider': google,
};
