// Sends a converse request as plain HTTP with an API key, and parses the frames of the response by hand. Tests check
// bytes instead of the interpretation of an SDK or the simulator.
import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import type { Simulator } from '../../../simulator/index.ts';

/** The model with the most features. */
export const sonnet = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
export const sonnet46 = 'us.anthropic.claude-sonnet-4-6';
export const sonnet5 = 'global.anthropic.claude-sonnet-5';
export const opus48 = 'us.anthropic.claude-opus-4-8';
export const haiku3 = 'anthropic.claude-3-haiku-20240307-v1:0';
export const novaLite = 'amazon.nova-lite-v1:0';
export const nova2 = 'us.amazon.nova-2-lite-v1:0';
export const llama = 'us.meta.llama3-3-70b-instruct-v1:0';
export const mistral = 'mistral.mistral-large-2407-v1:0';
export const gptOss = 'openai.gpt-oss-120b-1:0';
export const titan = 'amazon.titan-text-express-v1';
export const command = 'cohere.command-r-plus-v1:0';
export const deepseek = 'us.deepseek.r1-v1:0';

export const text = { text: 'x' };
export const user = (...content: object[]) => ({ role: 'user', content });
export const assistant = (...content: object[]) => ({ role: 'assistant', content });
export const hello = user({ text: 'hello' });
export const valid = { messages: [hello] };

export const history = (...messages: object[]) => ({ messages });
export const inference = (inferenceConfig: object) => ({ inferenceConfig });
export const extra = (additionalModelRequestFields: object) => ({ additionalModelRequestFields });
export const toolSpec = (name: string, change: object = {}) => ({
  toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } }, ...change },
});
export const toolConfig = { tools: [toolSpec('boil')] };
export const call = (toolUseId: string, name = 'boil', input: unknown = {}) => ({
  toolUse: { toolUseId, name, input },
});
export const result = (toolUseId: string, change: object = {}) => ({
  toolResult: { toolUseId, content: [{ text: 'done' }], ...change },
});
/** A conversation in which the assistant called tools, with the user's next message. */
export const turn = (calls: readonly object[], ...results: object[]) => ({
  toolConfig,
  messages: [hello, assistant(...calls), user(...results)],
});

export type Json = Readonly<Record<string, unknown>>;

export interface Target {
  readonly model?: string;
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  json(): Json;
  frames(): readonly Frame[];
}

/** @param body a string is sent unchanged, anything else as JSON */
export async function postConverse(simulator: Simulator, body: unknown, target: Target = {}): Promise<Posted> {
  const { model = sonnet, stream = false, headers = {} } = target;
  const operation = stream ? 'converse-stream' : 'converse';
  const url = `${simulator.baseUrls['managed-cloud-models']}/model/${encodeURIComponent(model)}/${operation}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-sim-test', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: () => JSON.parse(bytes.toString('utf8')),
    frames: () => framesOf(bytes),
  };
}

export interface Frame {
  /** The headers in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payload: string;
  /** The whole frame. */
  readonly bytes: Buffer;
}

/** @throws Error when a length or a checksum is wrong, or bytes are left over */
export function framesOf(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const frame = bytes.subarray(at, at + bytes.readUInt32BE(at));
    const headersEnd = 12 + frame.readUInt32BE(4);
    const end = frame.length - 4;
    expect(frame.readUInt32BE(8), 'checksum of the prelude').toBe(crc32(frame.subarray(0, 8)));
    expect(frame.readUInt32BE(end), 'checksum of the frame').toBe(crc32(frame.subarray(0, end)));
    const payload = frame.toString('utf8', headersEnd, end);
    frames.push({ headers: headersOf(frame.subarray(12, headersEnd)), payload, bytes: frame });
  }
  return frames;
}

function headersOf(bytes: Buffer): Frame['headers'] {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < bytes.length; ) {
    const valueAt = at + 1 + bytes.readUInt8(at);
    expect(bytes.readUInt8(valueAt), 'type of a header: string').toBe(7);
    const end = valueAt + 3 + bytes.readUInt16BE(valueAt + 1);
    headers.push([bytes.toString('utf8', at + 1, valueAt), bytes.toString('utf8', valueAt + 3, end)]);
    at = end;
  }
  return headers;
}

/** The change that makes a valid request invalid, a part of the vendor's message, and optionally another model. */
export type Refusal = [name: string, change: object, message: string, model?: string];

export async function expectRefusal(simulator: Simulator, [, change, message, model = sonnet]: Refusal): Promise<void> {
  const response = await postConverse(simulator, { ...valid, ...change }, { model });
  expect(response.json()).toEqual({ message: expect.stringContaining(message) });
  expect(response.status).toBe(400);
  expect(response.headers.get('x-amzn-errortype')).toMatch(/^ValidationException:http:\/\//);
}

export type Acceptance = [name: string, change: object, model?: string];

export async function expectAcceptance(simulator: Simulator, [, change, model = sonnet]: Acceptance): Promise<void> {
  const response = await postConverse(simulator, { ...valid, ...change }, { model });
  expect([response.status, response.status === 200 ? '' : response.bytes.toString()]).toEqual([200, '']);
}

/** Returns everything about a refusal: its status, the type in its header without the URL behind it, and its body. */
export async function refusalOf(simulator: Simulator, change: object, target: Target): Promise<unknown> {
  const response = await postConverse(simulator, { ...valid, ...change }, target);
  const type = response.headers.get('x-amzn-errortype')?.split(':')[0];
  return { status: response.status, type, ...response.json() };
}

export interface JsonResponse {
  readonly output: { readonly message: { readonly role: string; readonly content: readonly Json[] } };
  readonly stopReason: string;
  readonly usage?: Readonly<Record<string, number>>;
}

/** Returns the response to a request that must be accepted. */
export async function respondedBy(
  simulator: Simulator,
  change: object = {},
  target: Target = {},
): Promise<JsonResponse & Json> {
  const response = await postConverse(simulator, { ...valid, ...change }, target);
  expect([response.status, response.status === 200 ? '' : response.bytes.toString()]).toEqual([200, '']);
  return response.json() as unknown as JsonResponse & Json;
}
