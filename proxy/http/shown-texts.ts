// Texts of requests and errors as they may be logged and recorded: without anything that looks like a key.
import { printableLine, withoutKeyForms } from '../../common/key-forms.ts';

const reasonMax = 400;

/** An error and its causes in one line. */
export function reasonText(value: unknown): string {
  return printableLine(messages(value).join(': '), reasonMax);
}

const causesMax = 5;

/** Messages of an error and its causes, each once. Of an error with several parts, only the first counts. */
function messages(value: unknown): readonly string[] {
  const found: string[] = [];
  let at = value;
  for (let depth = 0; depth < causesMax && at !== undefined; depth++) {
    const { message, next } = partsOf(at);
    if (message !== '' && !found.some((before) => before.includes(message))) found.push(message);
    at = next;
  }
  return found;
}

function partsOf(value: unknown): { readonly message: string; readonly next: unknown } {
  if (!(value instanceof Error)) return { message: String(value), next: undefined };
  const { message, name } = value;
  if (value instanceof AggregateError && message === '') return { message: '', next: value.errors[0] };
  return { message: message === '' ? name : message, next: value.cause };
}

const lengthMax = 200;
/** A path segment in the form of route and model names, with an optional method after a colon. */
const word = /^[a-z0-9._~-]{0,64}(?::[A-Za-z]{1,40})?$/;
const rest = '…';

/**
 * The loggable part of a path: its segments up to the first one that does not look like an API's. So a key in a path,
 * even one with slashes in it, is not logged.
 * @param target of the request as received
 */
export function shownPath(target: string): string {
  const [path = ''] = target.split('?', 1);
  const parts = path.slice(0, lengthMax + 1).split('/');
  const end = parts.findIndex((part) => !word.test(part) || withoutKeyForms(part) !== part);
  const shown = end === -1 ? parts.join('/') : [...parts.slice(0, end), rest].join('/');
  return shown.length > lengthMax ? `${shown.slice(0, lengthMax - 1)}${rest}` : shown;
}
