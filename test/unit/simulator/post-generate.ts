// Sends a generateContent request to the simulator as plain HTTP. Tests check the bytes of the response instead of an
// SDK's interpretation.
import { expect } from 'vitest';
import type { Simulator } from '../../../simulator/index.ts';

export type Json = Readonly<Record<string, unknown>>;

export const hello = { role: 'user', parts: [{ text: 'hello' }] } as const;
export const valid = { contents: [hello] } as const;

export interface ChatExchange {
  readonly body?: unknown;
  /** Default gemini-2.5-flash. */
  readonly model?: string;
  /** Default generateContent. */
  readonly method?: string;
  /** Default v1beta. */
  readonly version?: string;
  /** Including the question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function post(simulator: Simulator, request: ChatExchange = {}): Promise<Posted> {
  const { body = valid, model = 'gemini-2.5-flash', method = 'generateContent', query = '' } = request;
  const path = `${request.version ?? 'v1beta'}/models/${model}:${method}${query}`;
  const response = await fetch(`${simulator.baseUrls['search-provider']}/${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': 'AIzaSimTest', 'content-type': 'application/json', ...request.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: Json };
}

export interface Candidate extends Json {
  readonly index: number;
  readonly content?: { readonly role: string; readonly parts?: readonly Part[] };
  readonly finishReason?: string;
}

export interface Usage extends Json {
  readonly promptTokenCount: number;
  readonly totalTokenCount: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
}

export interface Generated extends Json {
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly usageMetadata: Usage;
  readonly modelVersion: string;
  readonly responseId: string;
}

export async function generated(simulator: Simulator, change: object = {}, model?: string): Promise<Generated> {
  const response = await post(simulator, { body: { ...valid, ...change }, ...(model && { model }) });
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
  return JSON.parse(response.text);
}

/** Returns the responses of an event stream, and checks that the framing is the vendor's. */
export async function streamed(simulator: Simulator, change: object = {}, model?: string): Promise<Generated[]> {
  const request = { method: 'streamGenerateContent', query: '?alt=sse', body: { ...valid, ...change } };
  const response = await post(simulator, { ...request, ...(model && { model }) });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return eventsOf(response.text).map((event) => event as unknown as Generated);
}

export function eventsOf(text: string): readonly Json[] {
  const frames = text.split('\r\n\r\n');
  if (frames.pop() !== '') throw new Error('the stream does not end with an empty line');
  return frames.map((frame) => {
    if (!frame.startsWith('data: ')) throw new Error(`no data: in ${frame}`);
    return JSON.parse(frame.slice('data: '.length));
  });
}

/** The change that makes a valid request invalid, the vendor's message, and optionally another model. */
export type Refusal = readonly [name: string, change: object, message: string | RegExp, model?: string];

export async function expectRefusal(simulator: Simulator, [, change, message, model]: Refusal): Promise<void> {
  const response = await post(simulator, { body: { ...valid, ...change }, ...(model && { model }) });
  expect(JSON.parse(response.text)).toMatchObject({
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    },
  });
  expect(response.status).toBe(400);
}

/** A change after which the vendor still accepts the request, and optionally another model. */
export type Acceptance = readonly [name: string, change: object, model?: string];

export async function expectAcceptance(simulator: Simulator, [, change, model]: Acceptance): Promise<void> {
  await generated(simulator, change, model);
}

/** Makes rows of unequal length a table of tests, named by the first column. */
export function cases<Row extends readonly [name: string, ...rest: unknown[]]>(rows: readonly Row[]) {
  return rows.map((row) => [row[0], row] as const);
}
