// The official SDK of the cloud's models as a client of the gateway: HTTP/1.1, with the virtual key as its API key.
import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  type ContentBlock,
  type ContentBlockDelta,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll } from 'vitest';
import type { VendorName } from '../../../common/vendors.ts';
import { modelAt, useScene } from './scene.ts';

export type Params = Omit<ConverseCommandInput, 'modelId'>;

export function useConverseClient() {
  const clients = useScene();
  const requestHandler = new NodeHttpHandler();
  afterAll(() => requestHandler.destroy());
  const client = (key = clients.scene.key, options: BedrockRuntimeClientConfig = {}) =>
    new BedrockRuntimeClient({
      endpoint: clients.scene.gateway.proxy.url,
      region: 'eu-west-1',
      token: { token: key },
      authSchemePreference: ['httpBearerAuth'],
      requestHandler,
      maxAttempts: 1,
      ...options,
    });
  return {
    clients,
    client,
    converse: (vendor: VendorName, params: Params, model?: string) =>
      client().send(new ConverseCommand({ modelId: modelAt(vendor, model), ...params })),
    async stream(
      vendor: VendorName,
      params: Params,
      { model, into = new FoldedStream() }: { readonly model?: string | undefined; readonly into?: FoldedStream } = {},
    ): Promise<FoldedStream> {
      const input = { modelId: modelAt(vendor, model), ...params };
      const { stream = [] } = await client().send(new ConverseStreamCommand(input));
      for await (const event of stream) into.add(event);
      return into;
    },
  };
}

/** What applications make of a stream. The SDK has no function for it. */
export class FoldedStream {
  readonly events: string[] = [];
  readonly content: ContentBlock[] = [];
  readonly #inputs = new Map<number, string>();
  stopReason: string | undefined;
  usage: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined } | undefined;
  latencyMs: number | undefined;

  add({
    contentBlockStart,
    contentBlockDelta,
    contentBlockStop,
    messageStop,
    metadata,
    ...event
  }: ConverseStreamOutput) {
    if (event.messageStart !== undefined) this.#note('messageStart');
    if (contentBlockStart !== undefined) {
      this.#note('contentBlockStart');
      const { contentBlockIndex: index = -1, start } = contentBlockStart;
      const { toolUseId, name } = start?.toolUse ?? {};
      this.content[index] = { toolUse: { toolUseId, name, input: {} } };
    }
    if (contentBlockDelta !== undefined) {
      this.#note('contentBlockDelta');
      const { contentBlockIndex: index = -1, delta } = contentBlockDelta;
      if (delta !== undefined) this.#delta(index, delta);
    }
    if (contentBlockStop !== undefined) {
      this.#note('contentBlockStop');
      this.#stop(contentBlockStop.contentBlockIndex ?? -1);
    }
    if (messageStop !== undefined) {
      this.#note('messageStop');
      this.stopReason = messageStop.stopReason;
    }
    if (metadata !== undefined) {
      this.#note('metadata');
      this.usage = metadata.usage;
      this.latencyMs = metadata.metrics?.latencyMs;
    }
  }

  get message(): Message {
    return { role: 'assistant', content: this.content };
  }

  /** Types of events; those of repeated pieces once. */
  #note(type: string): void {
    if (this.events.at(-1) !== type) this.events.push(type);
  }

  #delta(index: number, { text, toolUse, reasoningContent }: ContentBlockDelta): void {
    const block = this.content[index];
    if (text !== undefined) this.content[index] = { text: (block?.text ?? '') + text };
    if (toolUse !== undefined) this.#inputs.set(index, (this.#inputs.get(index) ?? '') + (toolUse.input ?? ''));
    if (reasoningContent?.redactedContent !== undefined) {
      this.content[index] = { reasoningContent: { redactedContent: reasoningContent.redactedContent } };
    } else if (reasoningContent !== undefined) {
      const before = block?.reasoningContent?.reasoningText;
      const reasoningText = {
        text: (before?.text ?? '') + (reasoningContent.text ?? ''),
        signature: reasoningContent.signature ?? before?.signature,
      };
      this.content[index] = { reasoningContent: { reasoningText } };
    }
  }

  #stop(index: number): void {
    const { toolUse } = this.content[index] ?? {};
    if (toolUse !== undefined) {
      this.content[index] = { toolUse: { ...toolUse, input: JSON.parse(this.#inputs.get(index) ?? '{}') } };
    }
  }
}

export const hello: Message[] = [{ role: 'user', content: [{ text: 'Hello' }] }];

export const weather = {
  toolSpec: {
    name: 'weather',
    description: 'The weather of a city',
    inputSchema: {
      json: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
};

export const toolConfig = { tools: [weather] };

export const thrown = (pending: Promise<unknown>) => pending.catch((error: unknown) => error);

/** A call with its result. */
export function history(input: { readonly city: string }, result: string): Message[] {
  return [
    ...hello,
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'weather', input } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: result }] } }] },
  ];
}
