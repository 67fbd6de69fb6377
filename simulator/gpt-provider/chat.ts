// Responds to a valid chat request, for every service with the vendor's chat completions: finds the requested
// behaviour, makes the completion, and sends it whole or as the events of a stream.
import type { Behaviour } from '../behaviour.ts';
import type { Json } from '../checks.ts';
import { directiveIn } from '../directive.ts';
import { echoOf } from '../echo.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../wire-format.ts';
import { type Completion, complete } from './completion.ts';
import { textOf } from './messages.ts';
import { Refusal } from './refusal.ts';
import type { ChatRequest } from './request.ts';
import type { Identity } from './response.ts';

/** The parts of a response that differ between services: texts and framing. */
export interface ChatForm {
  /** All headers except the content type. */
  headers(status: number): Readonly<Record<string, string>>;
  stringify(value: Json): string;
  object(completion: Completion, identity: Identity): Json;
  chunks(completion: Completion, identity: Identity): Iterable<Json>;
  /** The body of a scripted error, which is also the event that ends a broken stream. */
  error(status: number, scripted: Behaviour['error']): Json;
  /** The thinking of a model that shows it. */
  readonly thought?: string;
}

export interface ChatExchange {
  readonly request: ChatRequest;
  readonly behaviour: Behaviour;
  readonly received: Received;
  readonly context: ResponseContext;
}

/** Undefined for another content type, as a body without parameters. @throws Refusal where the body is not JSON */
export function bodyOf({ headers, body }: Received): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    const message =
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";
    throw new Refusal(400, { message });
  }
}

/**
 * The scripted behaviour, or the one in the last message.
 * @param param the parameter that contains the messages
 * @throws Refusal where the directive is malformed
 */
export function behaviourFor({ messages }: ChatRequest, context: ResponseContext, param = 'messages'): Behaviour {
  const scripted = context.scripted();
  const last = messages.at(-1);
  if (scripted !== undefined || last?.role !== 'user') return scripted ?? {};
  try {
    return directiveIn(textOf(last)) ?? {};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Refusal(400, { message, param });
  }
}

export function respondToChat(
  { request, behaviour, received, context }: ChatExchange,
  form: ChatForm,
): SimulatedResponse {
  const status = behaviour.status ?? 200;
  const json = (value: Json): SimulatedResponse => ({
    status,
    headers: { ...form.headers(status), 'content-type': 'application/json' },
    parts: [form.stringify(value)],
    behaviour,
  });
  if (status >= 400) return json(form.error(status, behaviour.error));
  const { thought = '' } = form;
  const completion = complete(request, { behaviour, echo: () => echoOf(received), thought });
  const identity = { id: `chatcmpl-simulated${context.sequence}`, created: context.now };
  if (!request.stream) return json(form.object(completion, identity));
  const events = framed(form.chunks(completion, identity));
  const { errorAfterEvents } = behaviour;
  return {
    status,
    headers: { ...form.headers(status), 'content-type': 'text/event-stream; charset=utf-8' },
    parts:
      errorAfterEvents === undefined
        ? events
        : broken(events, errorAfterEvents, frame(form.error(500, behaviour.error))),
    behaviour,
  };
}

function* framed(chunks: Iterable<Json>): Generator<string> {
  for (const chunk of chunks) yield frame(chunk);
  yield 'data: [DONE]\n\n';
}

/** Yields this many events, then the error as the last one. */
export function* broken(events: Iterable<string>, after: number, error: string): Generator<string> {
  let count = 0;
  for (const event of events) {
    if (count >= after) break;
    count += 1;
    yield event;
  }
  yield error;
}

function frame(value: Json): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
