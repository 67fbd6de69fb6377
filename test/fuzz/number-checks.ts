// Checks that the numbers of a request and of a response arrived unchanged, character by character.
import { numbersOf } from '../support/json-numbers.ts';
import { checkExpected } from '../support/planted-numbers.ts';
import { type NumberRequest, type Route, word } from './number-requests.ts';
import type { NumberResponse } from './number-responses.ts';

export interface Sent {
  readonly body: string;
  readonly isRedacted: boolean;
}

/**
 * @returns how many numbers the vendor received as the caller wrote them.
 * @throws Error for a number that was changed
 */
export function checkRequest(request: NumberRequest, route: Route, { body, isRedacted }: Sent): number {
  const found = numbersOf(body);
  let count = request.planted.check(body, found) + checkExpected(found, request.expected);
  if (body.includes(word) === isRedacted) throw new Error('the guardrail did not rewrite what it was to');
  const written = (text: string) => (isRedacted ? text.replaceAll(word, '[WORD]') : text);
  const spliced = request.arguments.map((text) =>
    route.argumentsAsText ? JSON.stringify(written(text)) : written(text),
  );
  for (const text of [...spliced, JSON.stringify(written(request.result))])
    if (!unnumbered(body).includes(text)) throw new Error(`these are lost: ${text}`);
  for (const text of [...request.arguments, request.result]) count += numbersOf(text).length;
  return count;
}

export interface Got {
  readonly bytes: string;
  readonly stream: boolean;
  readonly isRedacted: boolean;
}

/**
 * @returns how many numbers the caller received as the vendor wrote them.
 * @throws Error for a number that was changed
 */
export function checkResponse(response: NumberResponse, { bytes, stream, isRedacted }: Got): number {
  const events = stream ? dataOf(bytes) : [bytes];
  const messages = events.flatMap(messagesIn);
  const content = messages.map((message) => message.content ?? '').join('');
  if (content.includes(word) === isRedacted) throw new Error('the guardrail did not rewrite what it was to');
  const found = events.flatMap((event) => numbersOf(event)).filter(({ path }) => !path.includes('/arguments'));
  const count = response.planted.check(bytes, found) + checkExpected(found, response.expected);
  const args = unnumbered(messages.map(argumentsIn).join(''));
  const expected = isRedacted ? response.arguments.replaceAll(word, '[WORD]') : response.arguments;
  const isSame = response.argumentsAsText ? args === expected : shown(args) === shown(expected);
  if (!isSame) throw new Error(`the arguments are ${args}, and were ${expected}`);
  return count + numbersOf(expected).length;
}

function shown(args: string): string {
  return numbersOf(args)
    .map(({ path, source }) => `${path}=${source}`)
    .join(' ');
}

/** Placeholders are numbered through a request and its response. */
function unnumbered(text: string): string {
  return text.replaceAll(/\[WORD_\d+\]/g, '[WORD]');
}

function dataOf(bytes: string): string[] {
  return bytes
    .split(/\r?\n\r?\n/)
    .filter((event) => event.startsWith('data: {'))
    .map((event) => event.slice('data: '.length));
}

interface Message {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[] | null;
}

/** Returns the messages of a response, or their parts in a chunk. */
function messagesIn(text: string): Message[] {
  const { choices } = JSON.parse(text) as { choices: { message?: Message; delta?: Message }[] };
  return choices.flatMap(({ message, delta }) => message ?? delta ?? []);
}

/** Returns the arguments of the only call. */
function argumentsIn({ tool_calls }: Message): string {
  return (tool_calls ?? []).map((call) => call.function?.arguments ?? '').join('');
}
