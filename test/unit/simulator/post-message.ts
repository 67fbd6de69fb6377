// Sends a request to the simulated assistant vendor as plain HTTP. Tests check the bytes of the response instead of an
// SDK's interpretation.
import { expect } from 'vitest';
import type { Simulator } from '../../../simulator/index.ts';

export const user = { role: 'user', content: 'hello' } as const;
export const valid = { model: 'claude-sonnet-4-6', max_tokens: 1_000, messages: [user] } as const;

export const boil = {
  name: 'boil',
  description: 'boils water',
  input_schema: { type: 'object', properties: { cups: { type: 'integer', minimum: 1 } }, required: ['cups'] },
} as const;

// Parts of a conversation.
export const messageWith = (content: unknown) => ({ role: 'assistant', content });
export const request = (content: unknown) => ({ role: 'user', content });
export const text = (words: string) => ({ type: 'text', text: words });
export const call = (id: string, change: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'boil',
  input: {},
  ...change,
});
export const result = (id: string, change: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'done',
  ...change,
});
export const history = (...messages: readonly object[]) => ({ messages, tools: [boil] });

export { png } from '../../support/png.ts';

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  json(): Json;
  /** The data of each event of a stream. */
  events(): readonly Json[];
}

// biome-ignore lint/suspicious/noExplicitAny: assertions look into responses of every shape
type Json = Readonly<Record<string, any>>;

export interface Target {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function post(simulator: Simulator, body: unknown, target: Target = {}): Promise<Posted> {
  const { path = '/v1/messages', headers = {} } = target;
  const response = await fetch(`${simulator.baseUrls['assistant-provider']}${path}`, {
    method: 'POST',
    headers: {
      'x-api-key': 'sk-ant-sim-test',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text),
    events: () => eventsOf(text),
  };
}

/** Returns the events of a stream. Checks that the name of each event equals the type in its data. */
export function eventsOf(text: string): readonly Json[] {
  const frames = text.split('\n\n');
  if (frames.pop() !== '') throw new Error('the stream does not end with an empty line');
  return frames.map((frame) => {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
    const value = JSON.parse(data ?? '');
    if (value.type !== name) throw new Error(`event ${name} contains ${value.type}`);
    return value;
  });
}

/** The change that makes a valid request invalid, and the vendor's message. */
export type Refusal = readonly [name: string, change: object, message: string | RegExp];

export async function expectRefusal(
  simulator: Simulator,
  [, change, message]: Refusal,
  target?: Target,
): Promise<void> {
  const response = await post(simulator, { ...valid, ...change }, target);
  expect(response.json()).toEqual({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    },
    request_id: expect.stringMatching(/^req_simulated\d+$/),
  });
  expect(response.status).toBe(400);
}

export async function expectAcceptance(simulator: Simulator, change: object, target?: Target): Promise<void> {
  const response = await post(simulator, { ...valid, ...change }, target);
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
}

/** Returns the response to an accepted request, as JSON. */
export async function responseTo(simulator: Simulator, change: object = {}): Promise<Json> {
  const response = await post(simulator, { ...valid, ...change });
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
  return response.json();
}
