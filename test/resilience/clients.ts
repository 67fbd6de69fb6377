// Callers with the vendors' official SDKs, without the SDKs' own retries, in two formats and both forms.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { type CallPlan, contentOf } from './plan.ts';

export const forms = ['chat', 'chat stream', 'messages', 'messages stream'] as const;
export type Form = (typeof forms)[number];

export interface Reading {
  /** `200`, `503 overloaded`, `left`, `cut` (after the head), `unreachable: …` (no response). */
  readonly outcome: string;
  readonly text: string;
  /** The SDK returned it as a whole response. */
  readonly isWhole: boolean;
  /** Names of the target that responded. */
  readonly provider: string | undefined;
  readonly attempts: number;
  readonly ms: number;
  /** By performance.now(). */
  readonly startedAt: number;
}

export interface Calling {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly form: Form;
  readonly plan: CallPlan;
  readonly leavesAfterMs?: number;
}

const clients = new Map<string, { readonly openai: OpenAI; readonly anthropic: Anthropic }>();

function clientsOf({ url, key }: Pick<Calling, 'url' | 'key'>) {
  const name = `${url} ${key}`;
  const known = clients.get(name);
  if (known !== undefined) return known;
  const options = { apiKey: key, maxRetries: 0, timeout: 120_000 };
  const made = {
    openai: new OpenAI({ ...options, baseURL: `${url}/v1` }),
    anthropic: new Anthropic({ ...options, baseURL: url }),
  };
  clients.set(name, made);
  return made;
}

interface Progress {
  text: string;
  headers: Headers | undefined;
  finish: string | null | undefined;
}

/** Never throws. */
export async function call(calling: Calling): Promise<Reading> {
  const progress: Progress = { text: '', headers: undefined, finish: undefined };
  const startedAt = performance.now();
  const leaving = new AbortController();
  const { leavesAfterMs } = calling;
  const timer = leavesAfterMs === undefined ? undefined : setTimeout(() => leaving.abort(), leavesAfterMs);
  let outcome = '200';
  try {
    await readers[calling.form](calling, progress, leaving.signal);
    // The SDKs end the iteration of a stream that is left without an error.
    if (leaving.signal.aborted && (progress.finish ?? null) === null) outcome = 'left';
    // A stream that ends in order without the end of its format.
    else if (progress.finish === undefined || progress.finish === null) outcome = '200 without an end';
  } catch (error) {
    outcome = leaving.signal.aborted ? 'left' : outcomeOf(error, progress);
    if (isApiError(error)) progress.headers ??= error.headers;
  } finally {
    clearTimeout(timer);
  }
  const { headers, text } = progress;
  return {
    ...{ outcome, text, startedAt, ms: performance.now() - startedAt },
    isWhole: outcome.startsWith('200'),
    provider: headers?.get('x-svc-provider') ?? undefined,
    attempts: Number(headers?.get('x-svc-attempts') ?? 0),
  };
}

function isApiError(error: unknown) {
  return error instanceof OpenAI.APIError || error instanceof Anthropic.APIError;
}

/** Of an error without a code. */
const messageMax = 200;

function outcomeOf(error: unknown, { headers }: Progress): string {
  if (isApiError(error)) {
    if (typeof error.status === 'number')
      return `${error.status} ${error.headers?.get('x-svc-error-code') ?? error.message.slice(0, messageMax)}`;
  }
  return headers === undefined ? `unreachable: ${causeOf(error)}` : 'cut';
}

/** The innermost cause, as a connection's error code if it has one. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return causeOf(error.cause);
  return 'code' in error ? `${String(error.code)} ${error.message}` : error.message;
}

type Reader = (calling: Calling, progress: Progress, signal: AbortSignal) => Promise<void>;

const outputMax = 1_000;
const named = ({ plan: { name } }: Calling) => ({ ...(name !== undefined && { 'x-request-id': name }) });

const readers: Readonly<Record<Form, Reader>> = {
  chat: async (calling, progress, signal) => {
    const { data, response } = await clientsOf(calling)
      .openai.chat.completions.create(chatBody(calling), { signal, headers: named(calling) })
      .withResponse();
    progress.headers = response.headers;
    progress.text = data.choices[0]?.message.content ?? '';
    progress.finish = data.choices[0]?.finish_reason;
  },
  'chat stream': async (calling, progress, signal) => {
    const { data, response } = await clientsOf(calling)
      .openai.chat.completions.create({ ...chatBody(calling), stream: true }, { signal, headers: named(calling) })
      .withResponse();
    progress.headers = response.headers;
    for await (const { choices } of data) {
      progress.text += choices[0]?.delta.content ?? '';
      progress.finish ??= choices[0]?.finish_reason;
    }
  },
  messages: async (calling, progress, signal) => {
    const { data, response } = await clientsOf(calling)
      .anthropic.messages.create(messagesBody(calling), { signal, headers: named(calling) })
      .withResponse();
    progress.headers = response.headers;
    progress.text = data.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    progress.finish = data.stop_reason;
  },
  'messages stream': async (calling, progress, signal) => {
    const { data, response } = await clientsOf(calling)
      .anthropic.messages.create({ ...messagesBody(calling), stream: true }, { signal, headers: named(calling) })
      .withResponse();
    progress.headers = response.headers;
    let stopped = false;
    for await (const event of data) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') progress.text += event.delta.text;
      if (event.type === 'message_delta') progress.finish ??= event.delta.stop_reason;
      stopped ||= event.type === 'message_stop';
    }
    if (!stopped) progress.finish = undefined;
  },
};

function chatBody({ model, plan }: Calling) {
  return { model, max_tokens: outputMax, messages: [{ role: 'user' as const, content: contentOf(plan) }] };
}

function messagesBody(calling: Calling) {
  return chatBody(calling);
}
