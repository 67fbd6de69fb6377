// Errors inside a stream for clients of the Responses API (SDK types `ResponseErrorEvent`, `ResponseFailedEvent` of the
// package openai): the error, then the response that failed, numbered on from the last event.
import { eventData } from '../../../common/event-stream.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import type { PublicError, StreamSoFar } from '../client-format.ts';

export function writeResponsesStreamError({ message, code, param }: PublicError, { first, last }: StreamSoFar): string {
  const next = last === undefined ? 0 : lastNumber(last.toString()) + 1;
  const error = { type: 'error', sequence_number: next, code: code ?? null, message, param: param ?? null };
  const response = first === undefined ? undefined : responseIn(first);
  if (response === undefined) return event(error);
  const failed = { ...response, status: 'failed', error: { code: 'server_error', message } };
  return event(error) + event({ type: 'response.failed', sequence_number: next + 1, response: failed });
}

function event(data: JsonObject): string {
  return `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Text of a model cannot contain this: its quotes are escaped. */
const numbers = /"sequence_number":\s*(\d+)/g;

/** -1 if no event was sent. */
function lastNumber(events: string): number {
  return Number([...events.matchAll(numbers)].at(-1)?.[1] ?? -1);
}

/** The response of the event `response.created`. */
function responseIn(events: Buffer): JsonObject | undefined {
  const [start = ''] = events.toString().split('\n\n', 1);
  const created = parseJson(eventData(Buffer.from(`${start}\n\n`)) ?? '');
  return isObject(created) && isObject(created.response) ? created.response : undefined;
}
