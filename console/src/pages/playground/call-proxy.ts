// One request of the playground to the proxy, and its response as it comes. Nothing of it is kept.
import { at, type CallFormat, type Prompt } from './formats.ts';

export interface Target {
  readonly url: string;
  readonly key: string;
  readonly format: CallFormat;
  readonly prompt: Prompt;
}

export interface Outcome {
  /** 0: there was no response. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Undefined: none. */
  readonly error: string | undefined;
  readonly firstTextMs: number | undefined;
  readonly totalMs: number;
}

/**
 * Sends it. Never rejects.
 * @param onText gets each further piece of text
 * @param signal ends the request
 */
export async function callProxy(target: Target, onText: (text: string) => void, signal: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  let firstTextMs: number | undefined;
  let seen: Pick<Outcome, 'status' | 'requestId'> = { status: 0, requestId: undefined };
  const outcome = (error?: string): Outcome => ({ ...seen, error, firstTextMs, totalMs: performance.now() - started });
  const add = (text: string) => {
    if (text === '') return;
    firstTextMs ??= performance.now() - started;
    onText(text);
  };
  try {
    const response = await send(target, signal);
    seen = { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined };
    if (!response.ok) return outcome(messageOf(await response.text()));
    if (!/^text\/event-stream/.test(response.headers.get('content-type') ?? '')) {
      add(target.format.textOf(await response.json()));
      return outcome();
    }
    return outcome(await readEvents(response, (event) => add(target.format.textOf(event))));
  } catch (error) {
    if (signal.aborted) return outcome('stopped');
    return outcome(error instanceof TypeError ? unreachable : String(error));
  }
}

const unreachable =
  'the browser could not call the proxy: it is away, or its GATEWAY_CONSOLE_ORIGIN is not the origin of this page';

function send({ url, key, format, prompt }: Target, signal: AbortSignal): Promise<Response> {
  return fetch(url + format.path(prompt), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...format.headers(key) },
    body: JSON.stringify(format.body(prompt)),
    credentials: 'omit',
    signal,
  });
}

/** @returns the error that the stream ends with, if any */
async function readEvents(response: Response, onEvent: (event: unknown) => void): Promise<string | undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let error: string | undefined;
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return error;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = eventOf(line);
      if (event === undefined) continue;
      const failure = at(event, 'error') ?? at(event, 'response', 'error');
      if (failure !== undefined && failure !== null) error = messageOf(JSON.stringify(event));
      else onEvent(event);
    }
  }
}

function eventOf(line: string): unknown {
  if (!line.startsWith('data:')) return undefined;
  try {
    return JSON.parse(line.slice('data:'.length));
  } catch {
    // The end of a stream, "[DONE]".
    return undefined;
  }
}

/** The message of an error in the form of any format. */
function messageOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const message =
      at(parsed, 'error', 'message') ?? at(parsed, 'response', 'error', 'message') ?? at(parsed, 'message');
    return typeof message === 'string' ? message : body;
  } catch {
    return body;
  }
}
