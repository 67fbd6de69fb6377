// Sends a chat request to the simulator as plain HTTP. Tests check the bytes of the response instead of an SDK's
// interpretation.
import { expect } from 'vitest';
import type { Simulator } from '../../../simulator/index.ts';

export const valid = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] } as const;

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  json(): Promise<Readonly<Record<string, unknown>>>;
  /** The data of each event except the last, which must be `[DONE]`. */
  events(): readonly Readonly<Record<string, unknown>>[];
}

export type SentHeaders = Readonly<Record<string, string>>;

export function postChat(simulator: Simulator, body: unknown, headers: SentHeaders = {}): Promise<Posted> {
  const url = `${simulator.baseUrls['gpt-provider']}/chat/completions`;
  return post(url, body, { authorization: 'Bearer sk-sim-test', ...headers });
}

/** @param body a string is sent unchanged, anything else as JSON */
export async function post(url: string, body: unknown, headers: SentHeaders): Promise<Posted> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: async () => JSON.parse(text),
    events: () => eventsOf(text),
  };
}

export function eventsOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  const frames = text.split('\n\n');
  if (frames.pop() !== '') throw new Error('the stream does not end with an empty line');
  if (frames.pop() !== 'data: [DONE]') throw new Error('the stream does not end with [DONE]');
  return frames.map((frame) => {
    if (!frame.startsWith('data: ')) throw new Error(`no data: in ${frame}`);
    return JSON.parse(frame.slice('data: '.length));
  });
}

/** The change that makes a valid request invalid, with the field and code that the vendor names for it. */
export type Refusal = readonly [name: string, change: object, param: string | null, code: string | null];

export async function expectRefusal(simulator: Simulator, [, change, param, code]: Refusal): Promise<void> {
  const response = await postChat(simulator, { ...valid, ...change });
  expect(await response.json()).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param, code },
  });
  expect(response.status).toBe(400);
}
