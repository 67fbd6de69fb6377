// One request of chat completions through the proxy, whose response is printed while it arrives.
import { EventSplitter, eventData } from '../common/event-stream.ts';
import { isObject, parseJson } from '../common/json.ts';
import type { Secret } from '../common/secret.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';

export interface ChatRequest {
  /** The proxy's origin. */
  readonly url: string;
  readonly key: Secret;
  readonly body: object;
  readonly timeoutMs: number;
}

/** The whole response, for programs. @throws Failure */
export async function chatWhole(request: ChatRequest): Promise<object> {
  const response = await send(request, request.body);
  const value = parseJson(await response.text());
  if (!isObject(value)) throw new Failure('refused', 'the proxy responded with something else than JSON');
  return value;
}

/** Prints the text of the response, with a line end. @throws Failure, also for a response that is cut off */
export async function chatStreamed(request: ChatRequest, io: Io): Promise<void> {
  const response = await send(request, { ...request.body, stream: true });
  let isDone = false;
  let last = '';
  try {
    for await (const data of dataOf(response)) {
      if (data === '') continue;
      if (data === '[DONE]') isDone = true;
      const text = shown(textOf(data, request));
      if (text !== '') await io.out(text);
      last = text === '' ? last : text;
    }
  } catch (error) {
    throw error instanceof Failure ? error : cutOff(error, request);
  } finally {
    if (last !== '' && !last.endsWith('\n')) await io.out('\n');
  }
  if (!isDone) throw cutOff(undefined, request);
}

async function send({ url, key, timeoutMs }: ChatRequest, body: object): Promise<Response> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'gatewayctl',
      authorization: `Bearer ${key.reveal()}`,
    },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Failure('unreachable', `no connection to ${url}: ${reasonOf(error)}`);
  });
  if (response.status === 200) return response;
  const { message, code } = errorOf(await response.text().catch(() => ''));
  const id = response.headers.get('x-request-id');
  const what = [`${response.status}`, code].filter(Boolean).join(' ');
  const about = id === null ? '' : ` (request ${shown(id)})`;
  throw new Failure('refused', `the gateway refused, ${what}${about}: ${withoutKey(shown(message), key)}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return cause.name === 'TimeoutError' ? 'it did not respond in time' : cause.message || cause.name;
}

function cutOff(error: unknown, { key }: ChatRequest): Failure {
  const why = error === undefined ? '' : ` (${withoutKey(reasonOf(error), key)})`;
  return new Failure('unreachable', `the response was cut off${why}`);
}

/** The data of each event. */
async function* dataOf(response: Response): AsyncGenerator<string> {
  const events = new EventSplitter();
  for await (const chunk of response.body ?? []) {
    for (const event of events.push(Buffer.from(chunk))) yield eventData(event) ?? '';
  }
  for (const event of events.end()) yield eventData(event) ?? '';
}

/** @throws Failure for an error in the stream */
function textOf(data: string, { key }: ChatRequest): string {
  const event = parseJson(data);
  if (!isObject(event)) return '';
  if (isObject(event.error)) throw new Failure('refused', withoutKey(shown(errorOf(data).message), key));
  const [choice] = Array.isArray(event.choices) ? event.choices : [];
  const delta = isObject(choice) && isObject(choice.delta) ? choice.delta : {};
  const text = delta.content ?? delta.refusal;
  return typeof text === 'string' ? text : '';
}

function errorOf(text: string): { readonly message: string; readonly code: string } {
  const body = parseJson(text);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const { message, code } = error;
  return {
    message: typeof message === 'string' ? message.slice(0, 1000) : 'without a message',
    code: typeof code === 'string' ? shown(code) : '',
  };
}

/** A model's text must not control the terminal. */
function shown(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '?');
}

function withoutKey(text: string, key: Secret): string {
  return text.replaceAll(key.reveal(), '[credential]');
}
