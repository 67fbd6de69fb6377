// Sends requests to the dialects of the hosted model studio as plain HTTP, and builds the bodies of its refusals.
import { expect } from 'vitest';
import type { Simulator } from '../../../simulator/index.ts';
import { type Posted, post, type SentHeaders } from './post-chat.ts';

export const apiKey = { 'api-key': 'sk-sim-test' };
export const plainBearer = { authorization: 'Bearer sk-sim-test' };
/** An access token of the simulator's own form. */
export const token = { authorization: 'Bearer eyJ0eXAiOiJKV1QifQ.eyJhdWQiOiJ4In0.sk-sim-test' };

export const user = { role: 'user', content: 'hello' };
export const messages = [user];
export const boil = {
  type: 'function',
  function: {
    name: 'boil',
    parameters: { type: 'object', properties: { cups: { type: 'integer' } }, required: ['cups'] },
  },
};

/** Returns functions that send requests in each dialect of one simulator. */
export function studio(simulator: () => Simulator) {
  const at = (path: string, body: unknown, headers: SentHeaders = apiKey): Promise<Posted> =>
    post(`${simulator().baseUrls['studio-ai']}${path}`, body, headers);
  return {
    at,
    dated: (deployment: string, body: unknown, version = '2024-10-21') =>
      at(`/openai/deployments/${deployment}/chat/completions?api-version=${version}`, body),
    v1: (change: object, query = '') =>
      at(`/openai/v1/chat/completions${query}`, { model: 'gpt-4o', messages, ...change }),
    inference: (change: object, headers: SentHeaders = {}) =>
      at(
        '/models/chat/completions?api-version=2024-05-01-preview',
        { model: 'gpt-4o', messages, ...change },
        { ...apiKey, ...headers },
      ),
    host: (change: object, headers: SentHeaders = {}) =>
      at('/chat/completions', { messages, ...change }, { ...plainBearer, ...headers }),
  };
}

export async function expectResponse(response: Posted, status: number, body: object): Promise<void> {
  expect([response.status, await response.json()]).toEqual([status, body]);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('apim-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

export function expectAcceptance(response: Posted): void {
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
}

/** A refusal in the format of the GPT models' vendor. */
export function asVendor(param: string | null, code: string | null): object {
  return { error: { message: expect.any(String), type: 'invalid_request_error', param, code } };
}

export function badRequest(message: string): object {
  return { error: { code: 'BadRequest', message } };
}

/** One validation error of the inference API. @param location the location, such as `messages.0.content` */
export function invalid(type: string, location: string): object {
  const steps = location.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const detail = expect.objectContaining({ type, loc: ['body', ...steps], msg: expect.any(String) });
  return {
    error: { code: 'Invalid input', status: 422, message: 'invalid input error', details: [detail] },
  };
}

/** A refusal by a model of another vendor than the GPT vendor. */
export function ofModel(message: string | RegExp): object {
  return { error: { code: 'Bad Request', message: expect.stringMatching(message), status: 400 } };
}

export const messageWith = (...list: readonly object[]) => ({ messages: list });
export const call = (id: string) => ({ id, type: 'function', function: { name: 'boil', arguments: '{}' } });
export const calling = (id: string) => ({ role: 'assistant', tool_calls: [call(id)] });
export const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });

export interface Choice {
  readonly index: number;
  readonly message: {
    readonly content: string | null;
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly { readonly id: string }[];
  };
  readonly delta?: { readonly content?: string; readonly reasoning_content?: string };
  readonly finish_reason: string | null;
  readonly content_filter_results?: Readonly<Record<string, object>>;
  readonly content_filter_offsets?: Offsets;
}

interface Offsets {
  readonly check_offset: number;
  readonly start_offset: number;
  readonly end_offset: number;
}

export interface JsonResponse {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly prompt_filter_results?: readonly object[];
}

/** Returns the response to a request that must be accepted. */
export async function responseTo(pending: Promise<Posted>): Promise<JsonResponse> {
  const response = await pending;
  expectAcceptance(response);
  return (await response.json()) as unknown as JsonResponse;
}

/** Returns the events of a stream without its `[DONE]`. */
export async function events(pending: Promise<Posted>): Promise<readonly JsonResponse[]> {
  const response = await pending;
  expectAcceptance(response);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  return response.events() as unknown as readonly JsonResponse[];
}

/** The text of a stream. */
export const textOf = (list: readonly JsonResponse[]) =>
  list.flatMap(({ choices }) => choices.map((choice) => choice.delta?.content ?? '')).join('');

const safe = { filtered: false, severity: 'safe' };
/** The content filter's results for a harmless text. */
export const clean = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
