// One attempt at the hosted studio without a gateway around it: the request for a body, and the result of a response.
import { GatewayError } from '../../../../../../proxy/errors.ts';
import { parseChatRequest } from '../../../../../../proxy/formats/chat-completions/read-request.ts';
import type { StreamReader } from '../../../../../../proxy/formats/format.ts';
import type { ProviderCall } from '../../../../../../proxy/providers/provider.ts';
import { buildRequest } from '../../../../../../proxy/providers/provider.ts';
import { studioAi } from '../../../../../../proxy/providers/studio-ai.ts';
import { type GoldenTarget, goldenCall, targetedAt } from '../../../../../support/golden.ts';

export const messages = [{ role: 'user', content: 'Hi' }];
export const urls = {
  inference: 'https://golden.services.ai.azure.com/models',
  undated: 'https://golden.openai.azure.com/openai/v1',
  dated: 'https://golden.openai.azure.com/openai',
  hostOfOneModel: 'https://golden.eu.models.ai.azure.com',
} as const;

/** @param body the fields beside the model gpt-4o and one user's message */
export function callOf(body: object = {}, target: GoldenTarget = {}): ProviderCall {
  const requested = { model: 'gpt-4o', messages, ...body };
  return targetedAt(target, goldenCall(studioAi, parseChatRequest(Buffer.from(JSON.stringify(requested)))));
}

export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dropped: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

export function sent(body: object = {}, target: GoldenTarget = {}): Sent {
  return sentOf(callOf(body, target));
}

export function sentOf(call: ProviderCall): Sent {
  const built = buildRequest(call);
  if (built instanceof Promise) throw new Error('this provider signs nothing');
  const { origin, path, headers, dropped = [], body } = built;
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []));
  return { url: origin + path, headers: Object.fromEntries(pairs), dropped, body: JSON.parse(body) };
}

/** The code and the field with which a request is refused. */
export function refusal(body: object): { code: string; param: string | undefined } {
  try {
    sent(body);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  throw new Error('the request was accepted');
}

/** The response that the caller gets for this response of the vendor. */
export function responseTo(response: unknown, body: object = {}, target: GoldenTarget = {}): unknown {
  const bytes = Buffer.from(typeof response === 'string' ? response : JSON.stringify(response));
  return JSON.parse(studioAi.format.readResponse(callOf(body, target), { head: {}, body: bytes }).body.toString());
}

export interface Chunk {
  readonly id?: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Readonly<Record<string, unknown>>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: object;
}

export interface Streamed {
  readonly reader: StreamReader;
  /** The stream as text. */
  readonly parsed: string;
  /** The parsed chunks without the end marker. */
  readonly chunks: readonly Chunk[];
}

export function streamed(stream: string, body: object = {}, target: GoldenTarget = {}): Streamed {
  const call = callOf({ stream: true, ...body }, target);
  const reader = studioAi.format.openStream(call, {}, { eventBytesMax: 1_000_000 });
  const parsed = Buffer.concat([reader.push(Buffer.from(stream)), reader.end()]).toString();
  const frames = parsed.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  return { reader, parsed, chunks: frames.map((frame) => JSON.parse(frame.slice('data: '.length))) };
}

/** Frames events as the vendor does, with its end marker. */
export function events(...values: readonly unknown[]): string {
  return `${values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`;
}

export function chunk(delta: object | undefined, finish_reason: string | null = null, index = 0): object {
  const choice = { index, ...(delta && { delta }), finish_reason };
  return { id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] };
}
