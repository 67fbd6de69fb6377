// The framing of responses: one JSON document, a JSON list that grows, or Server-Sent Events; and of errors in each.
import type { Json } from '../checks.ts';
import type { SimulatedResponse } from '../wire-format.ts';
import type { VendorError } from './refusal.ts';

export type Framing = 'whole' | 'list' | 'events';

export const jsonHeaders = {
  'content-type': 'application/json; charset=UTF-8',
  vary: 'Origin, X-Origin, Referer',
  'x-content-type-options': 'nosniff',
};

export function jsonResponse(
  status: number,
  value: Json,
  headers: SimulatedResponse['headers'] = {},
): SimulatedResponse {
  return { status, headers: { ...jsonHeaders, ...headers }, parts: [`${pretty(value)}\n`], behaviour: {} };
}

/** An error before anything else was sent. A caller that wants events gets JSON, with the content type of events. */
export function wholeError(error: VendorError, framing: Framing): SimulatedResponse {
  const text = pretty({ error });
  return {
    status: error.code,
    headers: { ...jsonHeaders, ...(framing === 'events' && eventHeaders) },
    parts: [framing === 'list' ? `[${text}\n]\n` : `${text}\n`],
    behaviour: {},
  };
}

/** The front's response to an unknown path or method, sent without authentication. */
export function frontPage(): SimulatedResponse {
  const body =
    '<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n<p><b>404.</b> <ins>That’s an error.</ins>\n';
  const headers = { 'content-type': 'text/html; charset=UTF-8' };
  return { status: 404, headers, parts: [body], behaviour: {} };
}

export function streamHeaders(framing: Framing): SimulatedResponse['headers'] {
  return framing === 'events' ? { ...jsonHeaders, ...eventHeaders } : jsonHeaders;
}

export function streamParts(values: Iterable<Json>, framing: Framing): Iterable<string> {
  return framing === 'events' ? events(values) : list(values);
}

const eventHeaders = { 'content-type': 'text/event-stream', 'content-disposition': 'attachment' };

function* events(values: Iterable<Json>): Generator<string> {
  for (const value of values) yield `data: ${JSON.stringify(value)}\r\n\r\n`;
}

function* list(values: Iterable<Json>): Generator<string> {
  let before = '[';
  for (const value of values) {
    yield before + pretty(value);
    before = ',\r\n';
  }
  yield ']';
}

function pretty(value: Json | { readonly error: VendorError }): string {
  return JSON.stringify(value, undefined, 2);
}
